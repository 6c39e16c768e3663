"""The notebooks of `docs/notebooks`: run, and made pages of.

`python docs/site/notebooks.py` runs them all in this process and writes what they show into them; the tests
run them and compare.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

#: What a notebook shows of a value, the best first.
_METHODS = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}

Json = dict[str, Any]


def pages(folder: Path) -> dict[str, str]:
    """Page of the site: its Markdown, for every notebook, and their list."""
    found = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.ipynb"))}
    made = {f"notebooks/{path.stem}.md": _page(path, notebook) for path, notebook in found.items()}
    lines = [f"- [{_title(notebook)}]({path.stem}.md)" for path, notebook in found.items()]
    made["notebooks/index.md"] = (
        "# Notebooks\n\nEach is run by the tests, and shown here with what it printed. Download one from "
        "its page and open it with `jupyter lab`.\n\n" + "\n".join(lines) + "\n"
    )
    return made


def run(notebook: Json) -> list[list[Json]]:
    """Runs the code cells in order, in one namespace and an empty folder: the outputs of each."""
    names: Json = {"__name__": "__main__"}
    where = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            return [_run_cell("".join(cell["source"]), names) for cell in _code(notebook)]
        finally:
            sys.path.remove(folder)
            os.chdir(where)


def write(path: Path) -> None:
    """Runs a notebook and writes its outputs into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, (cell, outputs) in enumerate(zip(_code(notebook), run(notebook), strict=True), start=1):
        cell["execution_count"] = number
        cell["outputs"] = outputs
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _code(notebook: Json) -> list[Json]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run_cell(source: str, names: Json) -> list[Json]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        drawn = [kind for kind, method in _METHODS.items() if hasattr(value, method)]
        if drawn:  # Its text would be long, and nobody reads it.
            data = {drawn[0]: _lines(getattr(value, _METHODS[drawn[0]])())}
        else:
            data = {"text/plain": _lines(repr(value))}
        outputs.append(
            {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data}
        )
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _title(notebook: Json) -> str:
    return "".join(notebook["cells"][0]["source"]).partition("\n")[0].removeprefix("# ")


def _page(path: Path, notebook: Json) -> str:
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell["outputs"]]
    title, first, *rest = parts
    download = f"[Download this notebook]({path.name})"
    if title.count("\n"):
        heading, _, text = title.partition("\n")
        return "\n\n".join([heading, download, text.strip(), first, *rest]) + "\n"
    return "\n\n".join([title, download, first, *rest]) + "\n"


def _shown(output: Json) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    for kind in _METHODS:
        if kind in data:
            return f'<div class="output">{"".join(data[kind])}</div>'
    return f"```text\n{''.join(data['text/plain'])}\n```"


if __name__ == "__main__":
    for notebook_path in sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb")):
        write(notebook_path)
        print(notebook_path)
