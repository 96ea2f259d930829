"""Options that several commands share, given to each as one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any

Command = Callable[..., None]


def takes(
    keyword: str, build: Callable[..., object], shared: Mapping[str, Parameter]
) -> Callable[[Command], Command]:
    """Give a command options in the place of one keyword.

    The command line sees the single options, after the command's own; the command is called with
    what ``build`` makes of them.

    Args:
        keyword: The command's parameter that receives the object.
        build: Called with the options by their names.
        shared: The options, as parameters of ``build``.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_options(**given: Any) -> None:
            single = {name: given.pop(name) for name in shared}
            command(**given, **{keyword: build(**single)})

        own = signature(command, eval_str=True)
        mine = [p for name, p in own.parameters.items() if name != keyword]
        parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in (*mine, *shared.values())]
        # The command line is built from these two attributes.
        with_options.__dict__["__signature__"] = own.replace(parameters=parameters)
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate
