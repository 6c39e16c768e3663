"""`starspiel agents`: lists the agents and evaluators."""

import inspect

from starspiel.agents.evaluators import evaluator_names
from starspiel.agents.roster import registered_agents
from starspiel.cli.flags import Json
from starspiel.cli.output import show, show_json, table_of


def agents(*, as_json: Json = False) -> None:
    """List the agents with their parameters, and the evaluators.

    To use an agent of your own, name it package.module:factory(param=...).

    For example:

        starspiel agents
        starspiel agents --json
    """
    parameters = {
        name: {
            key: None if value is inspect.Parameter.empty else value
            for key, value in entry.parameters.items()
        }
        for name, entry in registered_agents().items()
    }
    about = {name: entry.about for name, entry in registered_agents().items()}
    if as_json:
        # Every agent takes book= besides its own parameters.
        rows = [
            {"name": name, "about": about[name], "parameters": {"book": None} | own}
            for name, own in parameters.items()
        ]
        show_json({"agents": rows, "evaluators": evaluator_names()})
        return
    table = table_of("agent", "what it does", "parameters")
    for name, own in parameters.items():
        table.add_row(name, about[name], ", ".join(f"{key}={value}" for key, value in own.items()))
    show(table)
    show("\nevery agent, including your own, also takes book=FILE, an opening book from `starspiel book`")
    show(f"evaluators: {', '.join(evaluator_names())}")
    show("your own agent or evaluator: package.module:factory(param=...)")
