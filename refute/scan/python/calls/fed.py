"""Interpreters that get their commands as input."""

from typing import TYPE_CHECKING, Any, Final

from refute.scan.python.call import PythonCall
from refute.scan.python.values import UNK, FileValue, Ref, as_text
from refute.scan.symbols import OUTPUT, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

_READS_COMMANDS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "python", "perl", "ruby", "node", "php"})
_INPUT_END: Final = "REFUTE_INPUT"


def note_interpreter(call: PythonCall, command: Any) -> None:
    """An interpreter that is given its commands as input: at once, or later through `communicate` and `stdin.write`."""
    words = [as_text(part) for part in (command if isinstance(command, list | tuple) else [command])]
    bare = len(words) == 1 or all(word.startswith("-") for word in words[1:])
    if bare and words[0].rpartition("/")[2].rstrip("0123456789.") in _READS_COMMANDS:
        call.walker.facts.add(f"fed {' '.join(words)}")
        _hand_over(call, call.keywords.get("input", UNK))


def _hand_over(call: PythonCall, value: Any) -> Any:
    from refute.scan.python.calls.process import embedded  # noqa: PLC0415 - it needs this module

    text = as_text(value)
    fed = sorted(fact[4:] for fact in call.walker.facts if fact.startswith("fed "))
    if isinstance(value, str | bytes) and text.strip(UNKNOWN + OUTPUT + " \n") and _INPUT_END not in text:
        for command in fed:
            embedded(call, f"{command} <<'{_INPUT_END}'\n{text}\n{_INPUT_END}\n")
    return UNK


def print_into(call: PythonCall) -> Any:
    """`print(…, file=…)` into a file, or into an interpreter."""
    from refute.scan.python.calls.file_objects import FILE_METHODS  # noqa: PLC0415 - the two need each other

    target = call.keywords.get("file")
    if isinstance(target, FileValue):
        write: Callable[[PythonCall, FileValue], Any] = FILE_METHODS["write"]
        return write(call, target)
    return _hand_over(call, call.argument(0)) if isinstance(target, Ref) and "subprocess()" in target.name else UNK


def feed(call: PythonCall) -> Any:
    """Judge `communicate` and `stdin.write` of a process."""
    return _hand_over(call, call.argument(0, "input"))
