"""Trees drawn: pages and pictures that hold together, whatever a game calls its moves."""

import copy
import pickle
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from support.trees import TreeGame, TreeState, bottom, chance, leaf, top

from starspiel.agents.search import Limits, search
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>x("&amp;")</script>\x00\x07\x1b[31mred\x1b[0m\ud800\uffff é 骰'
VOID = {"meta"}


class Page(HTMLParser):
    """Counts elements, and fails if they are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def count(self, tag: str, **attributes: str) -> int:
        return sum(
            tag == name and all(attrs.get(key.rstrip("_")) == value for key, value in attributes.items())
            for name, attrs in self.seen
        )


class HostileState(TreeState):
    def child(self, action):
        return HostileState(self.game, self.node.children[action - 10])

    def action_to_string(self, player, action):
        return HOSTILE

    def __str__(self):
        return HOSTILE


def cut_tree():
    """4 to take, or a roll after which player 1 picks: what docs/algorithms.md cuts."""
    replies = [bottom(*map(leaf, row)) for row in ((0.1, 0.3, 0.2), (0.0, 0.6, 0.5), (0.7, 0.4, 0.9))]
    return top(leaf(0.4), chance(*((1 / 3, reply) for reply in replies)))


def tree_of(algorithm: str, kind: type[TreeState] = TreeState, **options):
    node = cut_tree()
    state = kind(TreeGame(node, (0.0, 1.0)), node)
    options = {"exact_action_values": False, **options}
    return search(state, algorithm, Limits(depth=2), "zero", engine="python", **options).tree()


def test_star1_says_which_bound_left_an_outcome_out():
    roll = tree_of("star1").root.children[1]
    a, b, c = roll.children
    assert (roll.kind, roll.cut, roll.relation) == ("chance", "Star1 bound", "at most")
    assert (a.value, b.value, c.searched) == (pytest.approx(0.1), 0.0, False)
    assert c.greyed == (
        "Star1 bound: whatever the outcomes left are worth, the mean is at most +0.36667, and alpha is +0.4"
    )
    assert c.interval == (0.0, 1.0)


def test_star2_shows_what_it_probed_and_what_that_saved():
    roll = tree_of("star2").root.children[1]
    a, _, c = roll.children
    assert (roll.cut, roll.value) == ("Star2 probe", pytest.approx(1.1 / 3))
    assert (a.searched, a.probes, a.interval) == (False, 1, (0.0, pytest.approx(0.1)))
    assert [move.is_probe for move in a.children] == [True, False, False]
    assert a.children[1].greyed.startswith("Star2 probe")
    assert (c.probes, c.children) == (0, ())


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
def test_a_page_and_a_picture_show_every_node_in_its_shape(algorithm):
    tree = tree_of(algorithm)
    page, picture = Page(tree.to_html()), ElementTree.fromstring(tree.to_svg())
    titles = [element for element in picture.iter(f"{SVG}g") if element.find(f"{SVG}title") is not None]
    drawn = {"expectiminimax": 15, "star1": 12, "star2": 12}[algorithm]
    assert page.count("details", class_="node") == len(titles) == drawn
    for kind, count in {"max": 1, "min": 3, "chance": 1}.items():
        legend = 1
        assert page.count("path", class_=kind) == count + legend
        shapes = [path for path in picture.iter(f"{SVG}path") if path.get("class") == f"path {kind}"]
        assert len(shapes) == count + legend
    if algorithm != "expectiminimax":
        cut = {"star1": "Star1 bound", "star2": "Star2 probe"}[algorithm]
        assert cut in page.text
        assert cut in "".join(picture.itertext())
    assert "+0.4" in page.text


def test_a_picture_shows_the_chance_of_an_outcome_however_long_its_name_is():
    class LongState(HostileState):
        def child(self, action):
            return LongState(self.game, self.node.children[action - 10])

        def action_to_string(self, player, action):
            return "a long name " * 10

    lines = [
        text.text for text in ElementTree.fromstring(tree_of("star1", LongState).to_svg()).iter(f"{SVG}text")
    ]
    assert lines.count("a long name a long name a long na…, chance 0.3333") == 3


def test_names_and_positions_are_text_and_nothing_else():
    tree = tree_of("star2", HostileState)
    text = tree.to_html()
    page, picture = Page(text), ElementTree.fromstring(tree.to_svg())
    assert page.count("script") == 1  # the page's own
    assert '<script>x("&amp;")</script>␀␇[red]\ufffd\ufffd é 骰' in page.text
    assert '<script>x("&amp;")</script>␀␇[red]\ufffd\ufffd é 骰' in "".join(picture.itertext())
    text.encode("utf-8")
    assert not any(ord(character) < 32 and character != "\n" for character in text)


def test_a_page_loads_nothing():
    text = tree_of("star2").to_html()
    page = Page(text)
    assert not any({"src", "href", "action"} & attrs.keys() for _, attrs in page.seen)
    assert "@import" not in text
    assert "url(" not in text


def test_of_a_large_tree_a_part_is_drawn_and_it_says_so():
    result = search(load_game("pig(players=2)").new_initial_state(), "star1", Limits(depth=4))
    tree = result.tree()
    page = Page(tree.to_html())
    assert page.count("details", class_="node") == 300
    assert "This is a part: 300 nodes" in page.text
    assert "not drawn" in page.text
    # The best line is whole however little is drawn: from the root to a leaf.
    line, node = 0, tree.root
    while (node := node.best) is not None:
        line += 1
    small = Page(tree.to_html(shown=40))
    assert small.count("details", class_="node") == 40
    assert small.count("li", class_="line") == line + 1
    assert "This is a part" not in Page(tree_of("star1").to_html()).text


@pytest.mark.parametrize("shown", [0, -1, 2.5, "many", 5_001, True])
def test_how_much_is_drawn_is_a_whole_number(shown):
    with pytest.raises(StarspielError, match="shown"):
        tree_of("star1").to_svg(shown=shown)


def test_notebooks_get_a_part_of_a_page():
    tree = tree_of("star1")
    fragment = Page(tree._repr_html_())
    assert fragment.count("html") == fragment.count("script") == 0
    assert fragment.count("details", class_="node") == 12
    ElementTree.fromstring(tree._repr_svg_())


def test_a_tree_is_saved_by_its_ending(tmp_path):
    tree = tree_of("star2")
    for name, start in (("a.html", "<!DOCTYPE html>"), ("a.SVG", "<svg ")):
        tree.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    with pytest.raises(StarspielError, match=r"\.html page or a \.svg picture, got 'tree\.png'"):
        tree.save("tree.png")
    with pytest.raises(StarspielError, match="cannot write the tree"):
        tree.save(tmp_path / "nowhere" / "a.html")


def test_the_tree_is_of_the_position_searched_wherever_its_owner_plays_on():
    state = load_game("pig(players=2)").new_initial_state()
    result = search(state, "star2", Limits(depth=2))
    before = str(state)
    state.apply_action(0)
    assert result.tree().root.position == before.rstrip()


def test_a_result_that_cannot_be_drawn_says_why():
    state = load_game("pig(players=2)").new_initial_state()
    result = search(state, "star2", Limits(depth=2))
    for duplicate in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert duplicate == result
        with pytest.raises(StarspielError, match="search again"):
            duplicate.tree()
    with pytest.raises(StarspielError, match="explain=False"):
        search(state, "star2", Limits(depth=2), explain=False).tree()
    with pytest.raises(StarspielError, match="before its first ply"):
        search(state, "star2", Limits(nodes=1)).tree()


def test_a_tree_says_where_its_value_is_not_the_one_that_the_search_answered() -> None:
    state = load_game("backgammon").new_initial_state().child(14)
    by_net = search(
        state, "star1", Limits(depth=1), evaluator="net"
    ).tree()  # which rounds to single precision
    assert not any("search itself" in note for note in by_net.notes)
    assert (
        repr(by_net)
        == f"SearchTree(backgammon: star1, 1 ply, evaluator net, {by_net.statistics.nodes} nodes visited)"
    )
    other_each_time = iter(range(10**6))
    by_mood = search(
        load_game("tic_tac_toe").new_initial_state(),
        "star1",
        Limits(depth=1),
        evaluator=lambda state: -1 / (2 + next(other_each_time)),
    ).tree()
    assert "does not always value the same position alike" in by_mood.notes[-1]
