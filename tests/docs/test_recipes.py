"""The recipes of docs/development.md work: followed in a copy of the package, with the page's own code."""

import re
from pathlib import Path

from support.installation import copy_to, run_with

PAGE = (Path(__file__).parents[2] / "docs" / "development.md").read_text(encoding="utf-8")
USE = """
game = starspiel.load_game("race")
result = starspiel.search(game.new_initial_state(), limits=starspiel.Limits(depth=4))
assert set(result.action_values) == {0, 1}, result
command("check race --seconds 5")
command("tournament race --agents random star2 --pairs 2")
import gymnasium, pyspiel
assert pyspiel.load_game("race").num_distinct_actions() == 2
"""


def test_a_dice_game_takes_its_folder_and_one_entry(tmp_path):
    copy_to(tmp_path)
    follow("A dice game that ships", tmp_path / "starspiel")
    run_with(tmp_path, USE, tmp_path)


def follow(recipe, package):
    """Writes the recipe's new files, and inserts its lines into the lists of files that exist."""
    text = PAGE.partition(f"**{recipe}.**")[2].partition("\n\n**")[0]
    blocks = re.findall(r"```python\n# (\S+)\n(.*?)```", text, re.DOTALL)
    assert blocks, f"no code in the recipe: {recipe}"
    for name, code in blocks:
        file = package / name
        if file.exists():
            before, begin, after = file.read_text(encoding="utf-8").partition(
                "KITS: tuple[GameKit, ...] = (\n"
            )
            assert begin, name
            file.write_text(before + begin + code + after, encoding="utf-8")
        else:
            file.parent.mkdir(exist_ok=True)
            (file.parent / "__init__.py").touch()
            file.write_text(code, encoding="utf-8")
