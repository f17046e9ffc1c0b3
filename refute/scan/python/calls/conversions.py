"""Python calls that turn one value into another, and may carry the environment along."""

from typing import Any, Final

from refute.scan.python import folding
from refute.scan.python.call import PythonCall
from refute.scan.python.values import UNK, FileValue, Partial, PathValue, Ref, as_text
from refute.scan.symbols import SECRET


def _partial(call: PythonCall) -> Any:
    return Partial(call.arguments[0], tuple(call.arguments[1:])) if call.arguments else UNK


def _environment_text(call: PythonCall) -> Any:
    value = call.argument(0)
    return SECRET if isinstance(value, Ref) and value.name.startswith("os.environ") else UNK


def _dump(call: PythonCall) -> Any:
    """`json.dump` into a file: nobody needs the whole environment there."""
    if _environment_text(call) == SECRET:
        call.act.add("environment-dump")
    return UNK


def _environment_copy(call: PythonCall) -> Any:
    value = call.argument(0)
    if isinstance(value, Ref) and value.name.startswith("os.environ"):
        return Ref("os.environ.copy()")
    return (
        dict(call.keywords) if not call.arguments else folding.pure_call("builtins.dict", call.arguments, call.keywords)
    )


def _text_of(call: PythonCall) -> Any:
    value = call.argument(0)
    if isinstance(value, PathValue | FileValue):
        return as_text(value)
    if isinstance(value, Ref) and value.name.startswith("os.environ"):
        return SECRET
    if isinstance(value, str):
        return value
    return folding.pure_call("builtins.str", call.arguments, call.keywords)


HANDLERS: Final = {
    "functools.partial": _partial,
    "json.dumps": _environment_text,
    "pprint.pformat": _environment_text,
    **dict.fromkeys(("json.dump", "pickle.dump", "yaml.dump", "yaml.safe_dump"), _dump),
    "builtins.repr": _text_of,
    "builtins.str": _text_of,
    "builtins.dict": _environment_copy,
}
