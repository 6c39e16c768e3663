"""`starspiel agents`: the roster."""

import inspect
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from starspiel.agents.evaluators import evaluator_names
from starspiel.agents.roster import registered_agents
from starspiel.cli.output import show, show_json


def agents(*, as_json: Annotated[bool, Parameter(name="--json", negative="")] = False) -> None:
    """List the agents, their parameters and the evaluators.

    An agent of your own is named package.module:factory(param=...).

    For example:

        starspiel agents
        starspiel agents --json

    Parameters
    ----------
    as_json
        Print one JSON object and nothing else.
    """
    entries = registered_agents()
    parameters = {name: BOOK_OF_ALL | entry.parameters for name, entry in entries.items()}
    if as_json:
        show_json(
            {
                "agents": [
                    {
                        "name": name,
                        "about": entry.about,
                        "parameters": {key: _plain(value) for key, value in parameters[name].items()},
                    }
                    for name, entry in entries.items()
                ],
                "evaluators": evaluator_names(),
            }
        )
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("agent", style="bold")
    table.add_column("what it does")
    table.add_column("parameters")
    for name, entry in entries.items():
        shown = ", ".join(f"{key}={_plain(value)}" for key, value in entry.parameters.items())
        table.add_row(name, entry.about, shown)
    show(table)
    show("\nevery agent, one of your own too, also takes book=FILE, the openings of `starspiel book`")
    show(f"evaluators: {', '.join(evaluator_names())}")
    show("of your own: package.module:factory(param=...)")


#: What every agent takes besides its own parameters.
BOOK_OF_ALL = {"book": None}


def _plain(value: Any) -> Any:
    return None if value is inspect.Parameter.empty else value
