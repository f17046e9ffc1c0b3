"""Functions that take exactly the parameters told of: code looks at `__code__`, `__defaults__` and the like of one."""

import functools
import inspect
import keyword
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Final

Parameter = inspect.Parameter
CALL: Final = "_refute_call_"
DEFAULT: Final = "_refute_default_"


class Default:
    """Stands for a default of a parameter: what it is stays with the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<default of {self._name}>"


def shaped(name: str, signature: inspect.Signature, call: Callable[..., Any], *, later: bool) -> FunctionType | None:
    """A function with these parameters, or None where it cannot be written.

    Only for functions of the test, in the other process: what is written is run.

    Args:
        name: of the function.
        signature: its parameters.
        call: takes the arguments.
        later: its result is awaited.
    """
    parameters = list(signature.parameters.values())
    names = [one.name for one in parameters]
    if not all(one.isidentifier() and not keyword.iskeyword(one) and one[:8] != "_refute_" for one in names):
        return None
    plain = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    code = _code(plain, tuple((one.name, one.kind, one.default is not Parameter.empty) for one in parameters), later)
    defaults = {one.name: Default(one.name) for one in parameters if one.default is not Parameter.empty}
    namespace: dict[str, Any] = {f"{DEFAULT}{one}": default for one, default in defaults.items()}
    namespace[CALL] = functools.partial(_pass_on, call, parameters)
    exec(code, namespace)  # noqa: S102  # of a function's parameters alone, checked above
    made: FunctionType = namespace.pop(plain)
    return made


@functools.lru_cache(maxsize=512)
def _code(name: str, parameters: tuple[tuple[str, Any, bool], ...], later: bool) -> CodeType:  # noqa: FBT001
    """The definition of a function whose body hands over what each parameter holds."""
    shown: list[str] = []
    kinds = [kind for _, kind, _ in parameters]
    for place, (one, kind, has_default) in enumerate(parameters):
        if kind is Parameter.KEYWORD_ONLY and Parameter.VAR_POSITIONAL not in kinds and kind not in kinds[:place]:
            shown.append("*")
        star = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(kind, "")
        shown.append(f"{star}{one}={DEFAULT}{one}" if has_default else star + one)
        if kind is Parameter.POSITIONAL_ONLY and kind not in kinds[place + 1 :]:
            shown.append("/")
    values = "".join(f"{one}, " for one, _, _ in parameters)
    wait, define = ("await ", "async def") if later else ("", "def")
    text = f"{define} {name}({', '.join(shown)}):\n __tracebackhide__ = True\n return {wait}{CALL}(({values}))\n"
    return compile(text, __file__, "exec", dont_inherit=True)


def _pass_on(call: Callable[..., Any], parameters: list[Parameter], values: tuple[Any, ...]) -> Any:
    """Call with the arguments that were given: what is still at its default was not."""
    __tracebackhide__ = True
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    left_out = False
    for one, value in zip(parameters, values, strict=True):
        if one.kind is Parameter.VAR_POSITIONAL:
            args += value
        elif one.kind is Parameter.VAR_KEYWORD:
            kwargs |= value
        elif type(value) is Default:
            left_out = True
        elif one.kind is Parameter.KEYWORD_ONLY or (left_out and one.kind is not Parameter.POSITIONAL_ONLY):
            kwargs[one.name] = value
        else:
            args.append(value)
    return call(*args, **kwargs)
