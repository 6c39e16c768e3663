"""Renders the templates of pages."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starspiel.envs.stylesheet import stylesheet

if TYPE_CHECKING:
    from jinja2 import Environment


def filled(template: Path, **values: Any) -> str:
    """Returns the text of a template with these values, escaped as HTML, and the stylesheet as `style`.

    Raises jinja2.UndefinedError if the template uses other names.
    """
    return _templates(template.parent).get_template(template.name).render(style=stylesheet(), **values)


@cache
def _templates(folder: Path) -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to load, and few need it

    loader = FileSystemLoader(folder)
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
