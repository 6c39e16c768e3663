"""The report: complete, self-contained, and legible on a phone, in a real browser if there is one."""

import base64
import html.parser
import json
import re
import shutil
import subprocess
import tomllib
from array import array

import numpy as np
import pyspiel
import pytest
from support.commands import output, refusal, run
from support.simple_bots import broken

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import BOTTOM, LEFT, RIGHT, TOP, Plot
from starspiel.envs.chart.rows import interval_plot
from starspiel.evaluation.checked_settings import checked, read_settings
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, Moves, PairRecord
from starspiel.evaluation.report import write_report, write_reports
from starspiel.evaluation.report.settings_file import settings_file
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.run import play
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import fit_test, rate
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.tournament import tournament

AGENTS = ["random", "mcts(simulations=20)", "star2(depth=2)", "star2(depth=1)"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Reader(html.parser.HTMLParser):
    """Checks that tags nest, and collects ids, links and text."""

    VOID = ("meta", "br", "link", "img", "circle", "line", "rect", "polyline")

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.data, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        links = [attrs[key] for key in ("href", "src") if key in attrs]
        self.links += [link for link in links if not link.startswith("data:")]
        self.data += [link for link in links if link.startswith("data:")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    reader = Reader()
    reader.feed(path.read_text())
    reader.close()
    assert reader.open == []
    return reader, " ".join(reader.text)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "r.html"
    agents = {name: name for name in AGENTS} | {"<broken & bad>": broken}
    result = tournament("pig(players=2,winscore=30)", agents, pairs=6, luck="heuristic")
    write_report(result, path)
    return result, path


def test_everything_a_reviewer_asks_for_is_there(report):
    result, path = report
    reader, text = read(path)
    assert {"standings", "fit", "crosstable", "tests", "luck", "seats", "faults"} <= set(reader.ids)
    assert reader.links == [], "self-contained"
    assert "<script" not in path.read_text()
    assert "http" not in re.sub(r"<code>.*?</code>", "", path.read_text(), flags=re.S)
    for name in result.agents:
        assert name in text
    for line in result.standings:
        assert f"{line.elo:+.0f}" in text
        assert f"{line.totals.wins}-{line.totals.draws}-{line.totals.losses}" in text
    for wanted in (
        "120 games in 60 pairs",
        "60 distinct dice keys",
        "seed 1",
        "variance factor",
    ):
        assert wanted in text.replace("\n", " "), wanted
    forfeits = result.tally.agents[-1].forfeits["raised"]
    assert forfeits > 40
    assert f"{forfeits} raised" in text
    for wanted in ("open_spiel", "processor", "load", "median", "p (Holm)"):
        assert wanted in text, wanted
    svg = re.findall(r"<svg.*?</svg>", path.read_text(), flags=re.S)
    assert len(svg) >= 4
    assert "nan" not in " ".join(svg)


def test_one_player_games(tmp_path):
    path = tmp_path / "one.html"
    write_report(tournament("catch", ["random", "greedy"], pairs=10), path)
    reader, text = read(path)
    assert "mean return" in text
    assert "10 distinct dice keys" in text.replace("\n", " ")
    assert "crosstable" not in reader.ids


def test_from_the_command_line_with_a_store(tmp_path, capsys):
    path = tmp_path / "r.html"
    command = ["tournament", "pig(winscore=20)", "--agents", *AGENTS, "--pairs", "2", "--report", str(path)]
    assert output(capsys, *command, "--store", tmp_path / "a.db", "--json").count("\n") == 1
    assert "Strength for its time" in read(path)[1]
    assert "no folder" in refusal(capsys, *command[:-1], tmp_path / "none" / "r.html")


def test_several_games_have_a_page_each_that_links_to_the_others(tmp_path, capsys):
    first = tmp_path / "c d.html"
    games = ["pig(players=2,winscore=10)", "tic_tac_toe", "catch"]
    command = ["tournament", *games, "--agents", "random", "greedy", "--pairs", "1", "--report", first]
    _, _, err = run(capsys, *command)
    files = [first, tmp_path / "c d-2.html", tmp_path / "c d-3.html"]
    assert [line for line in err.splitlines() if line.startswith("Report")] == [
        f"Report: {file}" for file in files
    ]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    for number, (game, file) in enumerate(zip(games, files, strict=True), start=1):
        reader, text = read(file)
        text = " ".join(text.split())
        others = [other.name.replace(" ", "%20") for other in files if other != file]
        assert reader.links == others
        assert f"Game {number} of 3 of a run" in text
        assert f"The command plays all 3 games of the run. With {game} for its only game" in text
        assert "stopped" not in text


def test_a_run_that_was_stopped_names_what_is_missing(tmp_path):
    results = [tournament(game, ["random", "greedy"], pairs=1) for game in ("tic_tac_toe", "catch")]
    paths = [tmp_path / f"{number}.html" for number in range(3)]
    assert write_reports(results, paths) == paths[:2]
    reader, text = read(paths[0])
    assert reader.links == ["1.html"]
    assert "Game 1 of 3" in text
    assert "The run was stopped: 1 more was planned." in text
    assert not paths[2].exists()
    assert write_reports(results[:1], paths[:1]) == paths[:1]
    assert read(paths[0])[0].links == []


def test_the_fit_is_good_where_the_model_holds_and_bad_where_it_does_not():

    rng = np.random.default_rng(4)
    low = 0
    for _ in range(60):
        games = []
        for i, j in ((0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)):
            chance = 1 / (1 + 10 ** (-(i - j) * 60 / 400))
            games += [(i, j, float(rng.random() < chance), float(rng.random() < chance)) for _ in range(40)]
        results = PairCounts.of(4, games)
        low += fit_test(results, rate(results)).p < 0.05
    assert low < 9
    ring = [
        game for i, j in ((0, 1), (1, 2), (2, 0)) for game in [(i, j, 1.0, 1.0)] * 20 + [(i, j, 0.0, 0.0)] * 5
    ]
    results = PairCounts.of(3, ring)
    assert fit_test(results, rate(results)).p < 1e-6


def test_names_fit_into_the_figures():
    names = ["one", "expectiminimax(depth=1)"]
    names += [f"exec:python3 engines/an_engine.py --threads 4 --level {n}" for n in (1, 2)]
    points = [(1.0, 0.0), (2.0, 1.0)]
    bars = interval_plot([(name, 1.0, 0.0, 2.0) for name in names], "Elo")
    plot = Plot(Axis.around("pairs", [1, 2], LEFT, RIGHT), Axis.around("Elo", [0, 1], BOTTOM, TOP))
    for name in names:
        plot.line(points, "c0", name)
    lines = plot.inline("Elo")
    for svg in (bars, lines):
        texts = re.findall(r'<text x="([\d.]+)"([^>]*)>([^<]+)</text>', svg)
        widths = [(float(x), more, 8.4 * len(text)) for x, more, text in texts]  # of a wide font, on a phone
        assert all(x >= width for x, more, width in widths if '"end"' in more)
        assert all(x + width <= 480 for x, more, width in widths if "anchor" not in more)
        assert {"one", "expectiminimax(depth=1)"} < {text for _, _, text in texts}
    assert len(set(re.findall(">([^<]*…[^<]*)</text>", bars))) == 2, "told apart by their ends"


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_shows_it_without_sideways_scrolling(report, tmp_path, width):
    """The page is measured by a script that is added for the test alone."""
    _, path = report
    probe = tmp_path / "probe.html"
    # Chromium's headless window is never narrower than 500 pixels; a frame is as narrow as it is told.
    probe.write_text(
        f'<iframe id="f" src="{path.as_uri()}" style="width:{width}px;height:900px;border:0"></iframe>'
        "<pre id='out'></pre><script>f.onload = () => { const d = f.contentDocument.documentElement;"
        "out.textContent = 'measured ' + d.scrollWidth + ' ' + d.scrollHeight + ' ' +"
        "f.contentDocument.querySelectorAll('svg').length; }</script>"
    )
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=3000", "--dump-dom", probe.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    scroll_width, height, plots = map(int, re.search(r"measured (\d+) (\d+) (\d+)", shown).groups())
    assert scroll_width <= width
    assert height > 1500
    assert plots >= 4


def test_named_agents_are_shown_with_their_specs(tmp_path):
    agents = {"mine": "star2(depth=1)", "other": "random"}
    result = tournament("tic_tac_toe", agents, pairs=1, starts=[[0, 4]])
    assert result.specs == ("star2(depth=1)", "random")
    write_report(result, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "mine: <code>star2(depth=1)</code>" in page
    assert "<dt>start positions</dt><dd>0,4" in page


def test_ten_wins_of_ten_are_not_infinite(tmp_path):
    agents = {"random": "random", "broken": broken}
    for pairs, p in ((10, "0.00195"), (30, "1.86e-09")):
        write_report(tournament("tic_tac_toe", agents, pairs=pairs), tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text()
        plain = re.sub(' data-label=".*?"', "", page)
        assert "LOS" not in page
        assert f"<td>0 0 0 0 {pairs}</td><td>+" in plain
        assert f"<strong>{p}</strong>" in plain
        assert "inf" not in page.partition('id="tests"')[2].partition("</table>")[0]


def test_an_unbeaten_agent_has_an_open_interval_everywhere(tmp_path):
    tally = Tally(2)
    for number in range(5):
        games = [
            GameRecord(agents, (0, 1), returns, (Moves("", "", ""),) * 2)
            for agents, returns in (((0, 1), (1.0, -1.0)), ((1, 0), (-1.0, 1.0)))
        ]
        tally.add(PairRecord(Pair((0, 1), number), tuple(games)))
    found = TournamentResult("pig", 1, ("good", "bad"), 5, tally, 0.0)
    answer = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    good, bad = answer["agents"]
    assert good["losses"] == 0
    assert (good["elo_high"], bad["elo_low"]) == (None, None)
    assert good["elo_low"] == pytest.approx(-bad["elo_high"])
    assert good["elo_low"] < good["elo"]
    assert (good["rank_best"], bad["rank_worst"]) == (1, 2)
    [meeting] = answer["meetings"]
    assert meeting["agents"] == ["good", "bad"]
    assert meeting["pairs"] == [0, 0, 0, 0, 5]
    assert meeting["p"] == meeting["p_holm"] == 0.0625
    assert "los" not in meeting
    assert meeting["p_always_valid_holm"] == meeting["p_always_valid"]
    assert answer["fit"] is None
    assert "… +∞" in str(found)
    write_report(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "+∞" in page
    assert "nan" not in page


def test_the_settings_play_the_same_games_again(tmp_path):
    settings = checked(
        game="pig(players=2,winscore=10)",
        agents={"random": "random", 'my "bot" [2]': "star2(depth=1)"},
        pairs=2,
        seed=7,
        luck="heuristic",
        anchor="random",
    )
    result = play(plan(settings))
    write_report(result, tmp_path / "r.html")
    [link] = read(tmp_path / "r.html")[0].data
    (tmp_path / "t.toml").write_bytes(base64.b64decode(link.partition("base64,")[2]))
    again = play(plan(read_settings(tmp_path / "t.toml", {})))
    assert [pair.games[0].actions for pair in again.pairs] == [pair.games[0].actions for pair in result.pairs]
    assert again.agents == result.agents
    assert again.settings.anchor == "random"
    assert again.luck_evaluator == result.luck_evaluator


def test_what_no_file_can_name_is_said_in_comments():
    class Still(pyspiel.Bot):
        def step(self, state):
            return state.legal_actions()[0]

    agents = {"random": "random", "still": lambda game, seat, seed: Still()}
    result = tournament("tic_tac_toe", agents, pairs=2, starts=[[0, 4], []], sprt="nelo0=0,nelo1=100")
    text = settings_file(result)
    assert tomllib.loads(text)["agents"] == {"random": "random"}
    assert '# "still": a Python object' in text
    assert "# The start positions: 0,4; the beginning" in text


def test_forfeits_are_flagged_with_their_messages_and_have_no_length(report):
    result, path = report
    page, (_, text) = path.read_text(), read(path)
    bad = result.agents.index("<broken & bad>")
    forfeits = result.tally.agents[bad].forfeits.total()
    assert result.tally.whole_games == result.games - forfeits == result.tally.lengths.total()
    assert sum(totals.won_by_forfeit for totals in result.tally.agents) == forfeits
    assert "ValueError: lost my head" in page.partition('id="faults"')[2].partition("</table>")[0]
    standings = page.partition('id="standings"')[2].partition("</table>")[0]
    assert standings.count("†") == len(result.agents)
    assert f"lost {forfeits} of" in text
    fault = result.to_dict()["faults"][0]
    assert (fault["agent"], fault["kind"], fault["times"]) == ("<broken & bad>", "raised", forfeits)


def test_every_figure_has_axes_and_a_caption(report):
    page = report[1].read_text()
    figures = re.findall(r"<figure>(.*?)</figure>", page, flags=re.S)
    assert len(figures) == page.count("<svg") >= 4
    for number, figure in enumerate(figures, start=1):
        assert f"<figcaption>Figure {number}. " in figure
        assert 'class="title"' in figure
    assert figures[0].count('class="zero"') == 1


def test_efficiency_frontier(tmp_path):
    tally = Tally(3)
    for (i, j), won in (((0, 1), 8), ((1, 2), 8), ((0, 2), 6)):
        for number in range(10):
            seconds = {0: 0.2, 1: 0.1, 2: 0.3}
            signs = (1.0, -1.0) if number < won else (-1.0, 1.0)
            games = []
            for seats, returns in (((i, j), signs), ((j, i), signs[::-1])):
                cost = tuple(Moves(array("d", [seconds[seat]]), array("q"), array("d")) for seat in seats)
                games.append(GameRecord(seats, (number, seats[0]), returns, cost))
            tally.add(PairRecord(Pair((i, j), number), tuple(games)))
    result = TournamentResult("pig", 1, ("good", "quick", "slow"), 30, tally, 0.0)
    write_report(result, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    named = page.partition('id="efficiency"')[2].partition("</p>")[0]
    assert re.findall("<strong>(.*?)</strong>", named) == ["good", "quick"]


def test_it_says_if_the_results_have_chosen_the_zero(tmp_path):
    def played(anchor):
        """The first wins one game of two against the second, and all against the third."""
        tally = Tally(3)
        for number in range(4):
            for other, second in ((1, -1.0), (2, 1.0)):
                games = [
                    GameRecord((0, other), (0, 1), (1.0, -1.0), (Moves("", "", ""),) * 2),
                    GameRecord((other, 0), (0, 1), (-second, second), (Moves("", "", ""),) * 2),
                ]
                tally.add(PairRecord(Pair((0, other), number), tuple(games)))
        return TournamentResult("pig", 1, ("a", "b", "c"), 8, tally, 0.0, anchor=anchor)

    assert "The results determine which agents define it" in " ".join(str(played(None)).split())
    write_report(played(None), tmp_path / "r.html")
    assert "The results determine which" in (tmp_path / "r.html").read_text()
    assert "determine which" not in str(played(0))
