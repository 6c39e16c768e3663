"""The notebooks show what running them shows."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def notebooks():
    """docs/site/notebooks.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("site_notebooks", DOCS / "site" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_five():
    topics = "quickstart", "openspiel", "gymnasium", "tournament", "searched_tree"
    assert [re.sub(r"^\d_", "", path.stem) for path in NOTEBOOKS] == list(topics)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_running_it_shows(notebooks, path):
    """If it changed on purpose: `python docs/site/notebooks.py`."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert any(shown)
    assert notebooks.run(notebook) == shown
