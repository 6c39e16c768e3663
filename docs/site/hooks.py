"""What the site is made of besides `docs/*.md`, for mkdocs (`mkdocs.yml` names this file).

- pages from files elsewhere: the changelog, the examples, the notebooks, one page for each OpenSpiel game,
  the help of every command;
- the home's board and replay, and the stylesheet that pages of games share with the site;
- links from page to page that are written for the code host; they may lead out of `docs/`;
- pages without a line in `nav`: beside the index.md of their folder, or under "More".
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import commands  # noqa: E402
import games  # noqa: E402
import home  # noqa: E402
import notebooks  # noqa: E402

from starspiel.envs.stylesheet import palettes, stylesheet  # noqa: E402

#: Files outside `docs/` that are pages of the site.
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "license.md",
    "README.md": "index.md",
}
EXAMPLES = {
    f"examples/{path.name}": f"examples/{path.stem}.md" for path in sorted(ROOT.glob("examples/*.py"))
}
#: Page of the site: the file that its links are relative to.
WRITTEN_IN = {page: path for path, page in ELSEWHERE.items() if page != "index.md"}

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`(?!\])", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(>>> .*?)\n*^```$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made, and every page to the navigation."""
    made = {page: (ROOT / path).read_text(encoding="utf-8") for page, path in WRITTEN_IN.items()}
    made["license.md"] = f"# Licence\n\n```text\n{made['license.md']}```\n"
    made |= {page: _example(ROOT / path) for path, page in EXAMPLES.items()}
    made["examples/index.md"] = _list_of_examples()
    made |= notebooks.pages(ROOT / "docs" / "notebooks")
    made |= games.pages()
    made["cli.md"] = commands.page()
    made["assets/starspiel.css"] = stylesheet() + _palettes()
    made["replay.html"] = home.replay()
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    config.nav = _with_all(config.nav or [], [file.src_uri for file in files.documentation_pages()])
    return files


def _palettes() -> str:
    """The stylesheet's colours, light and dark as the reader has switched the site; light on paper."""
    light, dark = (
        f"{scheme}, {scheme} .starspiel "
        f"{{ {' '.join(f'--{name}: {colour};' for name, colour in colours.items())} }}\n"
        for scheme, colours in zip(
            ("[data-md-color-scheme]", '[data-md-color-scheme="slate"]'), palettes(), strict=True
        )
    )
    return f"{light}@media screen {{ {dark} }}\n"


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links as the site needs them, and doctests as sessions at the prompt."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]
        markdown = markdown.replace("<!-- board -->", home.board())
    written_in = WRITTEN_IN.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    parts, start = [], 0
    for code in _CODE.finditer(markdown):  # What looks like a link in code is none.
        parts += [_linked(markdown[start : code.start()], written_in, page), code.group()]
        start = code.end()
    text = "".join([*parts, _linked(markdown[start:], written_in, page)])
    return _PYTHON.sub(r"```pycon\n\1\n```", text)


def _linked(text: str, written_in: str, page: Page) -> str:
    def target(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(written_in), link[1]))
        there = ELSEWHERE.get(path) or EXAMPLES.get(path)
        if there is None:
            there = path.removeprefix("docs/") if path.startswith("docs/") else None
        if there is None:
            return link[0]  # mkdocs says that it leads nowhere
        return posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or ".") + (link[2] or "")

    return _LINK.sub(target, text)


def _example(path: Path) -> str:
    source = path.read_text(encoding="utf-8")
    first_line = source.removeprefix('"""').partition("\n")[0].rstrip(".")
    return f"# {path.name}\n\n{first_line}: `examples/{path.name}`.\n\n````python\n{source}````\n"


def _list_of_examples() -> str:
    lines = []
    for path in EXAMPLES:
        source = (ROOT / path).read_text(encoding="utf-8")
        first_line = source.removeprefix('"""').partition("\n")[0]
        lines.append(f"- [{Path(path).name}]({Path(path).stem}.md): {first_line}")
    return "# Examples\n\nFiles of `examples/`, run by the tests as they stand.\n\n" + "\n".join(lines) + "\n"


def _with_all(nav: list[Any], pages: list[str]) -> list[Any]:
    """The navigation with every page in it."""
    missing = sorted(set(pages) - set(_named(nav)))
    nav = [_beside_index(entry, missing) for entry in nav]
    left = sorted(set(missing) - set(_named(nav)))
    return [*nav, {"More": left}] if left else nav


def _named(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    children = entry.values() if isinstance(entry, dict) else entry
    return [page for child in children for page in _named(child)]


def _beside_index(entry: Any, missing: list[str]) -> Any:
    if isinstance(entry, dict):
        return {title: _beside_index(child, missing) for title, child in entry.items()}
    if isinstance(entry, str):
        return entry
    folders = {
        posixpath.dirname(page) for page in entry if isinstance(page, str) and page.endswith("index.md")
    }
    more = [page for page in missing if posixpath.dirname(page) and posixpath.dirname(page) in folders]
    return [*(_beside_index(child, missing) for child in entry), *more]
