"""Exceptions between the two processes: type, arguments, attributes, causes, and where they came from."""

import contextlib
from types import CodeType, FunctionType, MemberDescriptorType, TracebackType
from typing import TYPE_CHECKING, Any, Final

from refute.driver.exceptions import text_of
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from refute.driver.codec import Atom, Encoder, Entry

Frames = list[list[Any]]
State = tuple[int, dict[str, int], list[str], int]
NOTES: Final = 20
"""Notes of an error that are told."""
FRAMES: Final = 60
OURS: Final = __file__.rpartition("/")[0] + "/"


def tell_error(error: BaseException, objects: Any, encoder: "Encoder") -> "Entry":
    """The entry of an exception; its parts may lead back to it. Plain groups, made of theirs at once, are values."""
    if objects.in_driver:
        objects.link.goes_out(error)
    if isinstance(error, BaseExceptionGroup):
        raise CannotCarryBack(
            "needs the implementation in the test's process: raises a group of exceptions with notes or a cause"
        )
    token = objects.classes.token(type(error))
    oid = objects.exports.lend(error) if objects.in_driver or token[0] == "c" else None
    entry = encoder.reserve(error, ["x", oid, token])
    given = [(name, getattr(error, name, None)) for name in _slots(type(error))]
    given += [(name, value) for name, value in list(vars(error).items()) if not name.startswith("_")]
    entry += [
        [encoder.atom(part) for part in _slot("args").__get__(error)],  # a class may have an `args` of its own
        _carried(given, encoder),
        _text(error) if token[0] == "c" else None,
        [
            encoder.atom(error.__cause__),
            encoder.atom(error.__context__),
            error.__suppress_context__,
        ],
        state_of(error)[2],
        frames_of(error.__traceback__),
    ]
    return entry


def _carried(given: "Iterable[tuple[str, Any]]", encoder: "Encoder") -> list[list[Any]]:
    """Name and atom of those attributes that can be carried."""
    pairs = []
    for name, value in given:
        with contextlib.suppress(CannotCarry):
            pairs.append([name, encoder.atom(value)])
    return pairs


def state_of(error: BaseException) -> State:
    """What an error holds now, by identity, and its notes: another state says that something was put on it."""
    found = vars(error)
    notes = found.get("__notes__")
    told = [note for note in notes[:NOTES] if type(note) is str] if isinstance(notes, list) else []
    held = {name: id(value) for name, value in list(found.items()) if not name.startswith("_")}
    return id(_slot("args").__get__(error)), held, told, id(_slot("__cause__").__get__(error))


def shell_error(entry: "Entry", objects: Any) -> BaseException:
    """An exception of the right type, still without content."""
    _, oid, token, *_ = entry
    kind = objects.classes.class_of(token)
    if not issubclass(kind, BaseException):
        raise Malformed("an exception is none")
    base: Any = next(one for one in kind.__mro__ if one.__module__ == "builtins")

    def make() -> Any:
        made = base.__new__(kind)
        if issubclass(kind, StopIteration):  # the interpreter reads its value without looking whether there is one
            StopIteration.__init__(made)
        return made

    return make() if oid is None else objects.proxies.borrow(oid, make)  # type: ignore[no-any-return]


def fill_error(made: BaseException, entry: "Entry", objects: Any, value_of: "Callable[[Atom], Any]") -> BaseException:
    """Give an exception its content."""
    _, oid, _, args, pairs, text, (cause, context, suppressed), notes, frames = entry
    values = tuple(value_of(atom) for atom in args)
    base: Any = next(one for one in type(made).__mro__ if one.__module__ == "builtins")
    with contextlib.suppress(Exception):  # a type that wants other arguments keeps its empty fields
        base.__init__(made, *values)
    _slot("args").__set__(made, values)
    slots = _slots(type(made))
    for name, atom in pairs:
        if name.startswith("_") or hasattr(BaseException, name):
            continue  # no honest side tells these: they would act here
        with contextlib.suppress(AttributeError, TypeError):
            if name in slots:
                if atom is not None:  # an OSError says what it was told, also that there is no number
                    slots[name].__set__(made, value_of(atom))
            else:
                made.__dict__[name] = value_of(atom)
    if oid is not None and objects.in_driver:
        made.__dict__["_refute_oid_"] = oid
    if isinstance(text, str):
        made.__dict__["_refute_text_"] = text
    for name, atom in (("__cause__", cause), ("__context__", context)):
        other = value_of(atom)
        if other is None or isinstance(other, BaseException):
            _slot(name).__set__(made, other)
    _slot("__suppress_context__").__set__(made, bool(suppressed))
    made.__dict__.update({"__notes__": [note for note in notes if isinstance(note, str)]} if notes else {})
    _slot("__traceback__").__set__(made, traceback_of(frames))
    if oid is not None and not objects.in_driver:
        objects.proxies.errors[oid] = state_of(made)
    return made


def frames_of(traceback: TracebackType | None) -> Frames:
    """File, line, function and the file of its module, outermost first; our own left out."""
    found: Frames = []
    while traceback is not None:
        code, names = traceback.tb_frame.f_code, traceback.tb_frame.f_globals
        if not code.co_filename.startswith((OURS, "<frozen importlib")):
            module_file = names.get("__file__") if code.co_filename.startswith("<") else None
            file = module_file if isinstance(module_file, str) else None
            found.append([code.co_filename[:1000], traceback.tb_lineno or 0, code.co_name[:200], file])
        traceback = traceback.tb_next
    return found if len(found) <= FRAMES else found[:10] + found[10 - FRAMES :]


def _template() -> CodeType:
    def place(error: BaseException) -> None:
        raise error

    return place.__code__


TEMPLATE: Final = _template()
_FORBIDDEN: set[str] = set()


def keep_apart(path: str) -> None:
    """Frames of the other side never claim to be of this file: it is the test's."""
    _FORBIDDEN.add(path)


def traceback_of(frames: Frames) -> TracebackType | None:
    """A traceback that shows these frames, so that reports and tools see them where they would be in one process."""
    below: TracebackType | None = None
    for file, line, name, module_file in reversed(frames[: FRAMES + 10]):
        if type(file) is not str or type(line) is not int or type(name) is not str or not 0 <= line < 1 << 30:
            raise Malformed("a frame is none")
        shown = "<the other process>" if file in _FORBIDDEN or "\0" in file else file
        below = _link(shown, line, name, module_file if isinstance(module_file, str) else None, below)
    return below


def _link(file: str, line: int, name: str, module_file: str | None, below: TracebackType | None) -> TracebackType:
    code = TEMPLATE.replace(co_filename=file, co_name=name, co_qualname=name, co_firstlineno=line)
    names = {"__name__": name} if module_file is None else {"__name__": name, "__file__": module_file}
    try:
        FunctionType(code, names)(KeyError())
    except KeyError as error:
        made = error.__traceback__
        assert made is not None and made.tb_next is not None  # noqa: S101, PT018  # it was just raised two frames deep
        return TracebackType(below, made.tb_next.tb_frame, made.tb_next.tb_lasti, line)
    raise AssertionError


def _slots(kind: type) -> dict[str, Any]:
    """What Python's own exceptions keep attributes by, whatever a class derived from them has under their names."""
    bases = [base for base in kind.__mro__[::-1] if base.__module__ == "builtins" and base is not BaseException]
    found = {name: one for base in bases for name, one in vars(base).items() if type(one) is MemberDescriptorType}
    return {name: one for name, one in found.items() if name != "obj"}  # of an AttributeError: any object


def _slot(name: str) -> Any:
    """As `_slots`, for what all exceptions have."""
    return vars(BaseException)[name]


def _text(error: BaseException) -> str | None:
    usual = type(error).__str__ in {BaseException.__str__, KeyError.__str__, OSError.__str__}
    return None if usual else text_of(error)[:100_000]
