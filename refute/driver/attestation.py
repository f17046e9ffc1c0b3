"""What a test's result rests on: whether the subject decided, what a helper may keep of it, what was not carried."""

import dis
import functools
import mmap
import re
import sys
from collections.abc import Callable, Iterator
from time import monotonic
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NoReturn

from refute.driver.known import is_of_testing
from refute.driver.process_state import HANDLERS, VARIABLES
from refute.driver.wire import CannotCarry

COPYING: Final = frozenset({"copy_context", "to_thread", "run_in_executor"})
"""Names in a test that copies contexts."""
FORKED: Final = "needs the implementation in the test's process: calls it in a forked process"
ENOUGH: Final = 100
"""How many drawn inputs a test has whatever their time, and after how many s slow code is spared the others."""
ENOUGH_S: Final = 5
HANDLING: Final = frozenset({"handlers", "hasHandlers", "getLogger", "Logger"})
"""Names in a test that logs by itself, or looks at what handles the records of loggers."""


class Attestation:
    """Facts about the running test."""

    objects: Any = None
    state: Any
    has_tasks: bool
    """Whether the running test awaits what is the subject's, or may copy a context, which has no partner there."""

    def __init__(self, test_file: str, module: str, source: str) -> None:
        self._test_file = test_file
        self._source = source
        self._module = module
        self._strayed = mmap.mmap(-1, 1)
        self._tainted = False
        self.begin("")

    def begin(self, name: str) -> None:
        """A test begins; its function's name."""
        self._running = name.replace("::", ".")
        self._outgoing: list[BaseException] = []
        self.attested = not self._tainted
        self.reached = False
        self._strayed[0] = 0
        self._asserted: set[int] = set()
        self._aliased: set[int] = set()
        self._refused = self._drawn = 0
        self._raised = self._failed = False
        self._begun = monotonic()
        self.has_tasks = False
        self._words: set[str] = set()
        if self.objects is not None:
            self.objects.lost = []
            self.objects.shared.own_changed = self.objects.exports.crossed = False
            self.state.has_variables = self.state.has_handlers = False

    def facts(self) -> dict[str, Any]:
        """What the running test's result rests on."""
        lacking = {
            FORKED: bool(self._strayed[0]),
            VARIABLES: self.has_tasks and (self.state.has_variables or "ContextVar" in self._source),
            HANDLERS: self.state.has_handlers and bool(self._words & HANDLING),
        }
        lost = [*self.objects.lost, *((reason, False) for reason, is_so in lacking.items() if is_so)]
        return {
            "asserted_lines": sorted(self._asserted),
            "aliased_lines": sorted(self._aliased),
            "changed_arguments": self.objects.shared.own_changed,
            "objects_crossed": self.objects.exports.crossed,
            "reached_implementation": self.reached,
            "attested": self.attested and not self._outgoing,
            "not_carried": lost[0][0] if lost else "",
            "not_carried_back": any(back for _, back in lost),
        }

    def noted(self, line: int, /, *kinds: tuple[str, Any]) -> None:
        """A check of the test file has run; of a block that must raise, the exceptions by the names that it gives them.

        `NotFound = Exception` would stand for every error: under its name a class counts only if it is called so.
        """
        self._asserted.add(line)
        for name, kind in kinds:
            if not isinstance(kind, type) or type.__dict__["__name__"].__get__(kind) != name:
                self._aliased.add(line)

    def passed(self) -> None:
        """The running test has passed: one of whose inputs more than half were refused says nothing."""
        if self._refused * 2 > self._drawn:
            reason = f"the implementation refused {self._refused} of the {self._drawn} inputs drawn for it"
            self.objects.lose(reason, back=False)

    def counting(self, test: Any) -> Any:
        """A function that Hypothesis runs, with its inputs counted, and those that the implementation refused."""

        @functools.wraps(test)
        def drawn(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if self._drawn >= ENOUGH and monotonic() - self._begun > ENOUGH_S and not self._failed:
                return None
            before, self._asserted, self._raised = self._asserted, set(), False
            try:
                return test(*args, **kwargs)
            except BaseException as error:  # a failure is shrunk and shown however long it takes; a refusal is none
                self._failed = self._failed or not type(error).__module__.startswith("hypothesis.")
                raise
            finally:
                self._drawn += 1
                self._refused += self._raised and not self._asserted
                self._asserted |= before

        return drawn

    def judged(self) -> None:
        """The subject decides about one of its objects.

        Where that is not in the running test's own body (at import, in a fixture, in a helper that may remember the
        answer), later tests may rest on it as well.
        """
        self.attested, helpers, frame = False, [], self.test_frame()
        while frame is not None and not self._is_test(frame):
            helpers.append(frame)
            frame = self._of_test_file(frame.f_back)
        prepares = frame is None and bool(helpers)
        if not self._running or prepares or any(may_remember(one, self._is_theirs) for one in helpers):
            self._tainted = True

    def _is_theirs(self, value: Any) -> bool:
        return self.objects.proxies.oid_of(value) is not None

    def _is_test(self, frame: FrameType) -> bool:
        """Whether a frame is the running test's own, or of what is defined in it."""
        name = frame.f_code.co_qualname
        return name == self._running or name.startswith(f"{self._running}.<locals>")

    def test_frame(self) -> FrameType | None:
        """The innermost frame of the test file that is being run; none once the test has returned."""
        return self._of_test_file(sys._getframe(1))  # noqa: SLF001  # the callers' frames are the question

    def _of_test_file(self, frame: FrameType | None) -> FrameType | None:
        """A frame, or the first around it, of the test file."""
        while frame is not None and frame.f_code.co_filename != self._test_file:
            frame = frame.f_back
        return frame

    def judged_for_good(self) -> None:
        """The subject has set something that every later test rests on as well."""
        self.attested, self._tainted = False, True

    def watch(self, item_function: Any) -> None:
        """Look at the function that is the test: one that the subject made, or wrapped, decides for itself."""
        self._words = names_in(item_function)
        self.has_tasks = self.has_tasks or bool(self._words & COPYING)
        if self.objects.proxies.oid_of(item_function) is not None or not isinstance(
            item_function, FunctionType | MethodType
        ):
            self.judged()

    def goes_out(self, error: BaseException) -> None:
        """An exception of the test's is handed to the subject, who may keep it from ending the test."""
        ours = type(error).__module__ == self._module or is_of_testing(type(error))
        if (ours or isinstance(error, AssertionError)) and not any(one is error for one in self._outgoing):
            self._outgoing.append(error)

    def cannot(self, reason: str) -> NoReturn:
        """Note that the running test needs what two processes cannot give, and end it. Raises CannotCarry: always."""
        self.objects.lose(reason, back=False)
        raise CannotCarry(reason)


STORING: Final = frozenset({"STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR"})
FIXED: Final = (
    ModuleType, FunctionType, BuiltinFunctionType, type, str, bytes, int, float, type(None), frozenset, re.Pattern,
)  # fmt: skip
"""What cannot hold an answer; a module, a class or a function would have to be written to."""
INLINE: Final = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})


def names_in(test: Any) -> set[str]:
    """Names in the code of a test and its file's functions that it calls by name, and of classes of what it names."""
    function = test.__func__ if type(test) is MethodType else test
    while type(function) is FunctionType and {"hypothesis", "__wrapped__"} & vars(function).keys():
        drawn = vars(function).get("hypothesis")
        function = vars(function)["__wrapped__"] if drawn is None else drawn.inner_test
    if type(function) is not FunctionType:
        return set()
    names = function.__globals__
    found = {name for code in _reached(function.__code__, names) for name in code.co_names}
    return found | {type(names[name]).__name__ for name in found if name in names}


def may_remember(frame: FrameType, is_theirs: Callable[[Any], bool]) -> bool:
    """Whether a running function of the test file, or one that it may call by name, has where to keep a value.

    Args:
        frame: of the function.
        is_theirs: whether a value is the subject's, which remembers on its own side whatever it likes.
    """
    names = frame.f_globals
    for code in _reached(frame.f_code, names):
        held = (names[name] for name in code.co_names if name in names)
        if _stores(code) or any(not isinstance(one, FIXED) and not is_theirs(one) for one in held):
            return True
    return False


def _reached(code: CodeType, names: dict[str, Any]) -> Iterator[CodeType]:
    """A code, what is defined in it, and the file's functions that it names."""
    seen, waiting = set(), [code]
    while waiting:
        if (one := waiting.pop()) in seen:
            continue
        seen.add(one)
        yield one
        waiting += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
        called = [names[name] for name in one.co_names if type(names.get(name)) is FunctionType]
        waiting += [function.__code__ for function in called if function.__globals__ is names]


@functools.cache
def _stores(code: CodeType) -> bool:
    """Whether code writes to anything beside its locals; asked for every comparison, told by the code alone."""
    closed = bool(code.co_freevars) and code.co_name not in INLINE
    return closed or any(one.opname in STORING for one in dis.get_instructions(code))
