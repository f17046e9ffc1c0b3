import contextlib
import dataclasses
import json
import pathlib
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from refute.driver.wire import MAX_BYTES, CannotCarry, Malformed, SubjectGone, Wire
from tests.refute.driver.pair import Pair


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair(__name__)
    yield made
    made.close()


def append(items: list[int]) -> None:
    items.append(len(items))


class Keeper:
    """Keeps the list that it is given, and calls everything its equal."""

    def __init__(self, items: list[int]) -> None:
        self.items = items

    def add(self, item: int) -> None:
        self.items.append(item)

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass
class Point:
    """A record."""

    x: int
    y: int = 0


def theirs(pair: Pair, value: Any) -> Any:
    """The proxy here for an object of the subject's."""
    entry = pair.subject.packed(value)
    for news in pair.subject.classes.news:
        pair.driver.classes.learn(*news)
    pair.subject.classes.news = []
    return pair.driver.unpacked(entry)


class Counted(type):
    """A class of classes with an operator."""

    def __len__(cls) -> int:
        return 1


class Rows(metaclass=Counted):
    """One of its classes."""


def test_a_class_that_can_have_no_proxy_costs_the_test_that_meets_it_and_not_the_run(pair: Pair) -> None:
    rows, point = theirs(pair, Rows), theirs(pair, Point)
    assert (rows.__name__, point.__name__) == ("Rows", "Point")
    ((reason, _),) = pair.driver.lost
    assert "Rows" in reason


class Refusing(ValueError):
    """Its arguments are a property, as honest code may have it."""

    @property
    def args(self) -> Any:
        return ("its own",)


def test_an_exception_that_covers_its_arguments_keeps_those_that_it_was_given(pair: Pair) -> None:
    error = theirs(pair, Refusing("given"))
    assert BaseException.__str__(error) == "given"
    assert error.args == ("its own",)


def test_a_change_in_place_comes_back(pair: Pair) -> None:
    items: list[int] = []
    theirs(pair, append)(items)
    assert items == [0]


def test_what_the_subject_keeps_stays_shared_and_what_it_lets_go_does_not(pair: Pair) -> None:
    items, other = [1], [2]
    keeper = theirs(pair, Keeper(items[:]))
    kept = keeper.items
    keeper.add(5)
    assert kept == [1, 5]
    theirs(pair, append)(other)
    assert pair.subject.shared.sid_of(other) is None


def test_an_operator_of_a_handle_is_a_judgement_of_the_subject(pair: Pair) -> None:
    keeper = theirs(pair, Keeper([]))
    assert keeper == 5
    assert pair.judgements == 1


@pytest.mark.parametrize(
    "name",
    ["__globals__", "__code__", "__closure__", "__class__", "__dict__", "_hidden", "gi_frame", "f_globals", "__init__"],
)
def test_the_door_shows_nothing_of_the_machinery(pair: Pair, name: str) -> None:
    for target in (test_the_door_shows_nothing_of_the_machinery, (one for one in "ab"), Keeper([])):
        pair.driver.exports.lend(target)
        with pytest.raises(AttributeError):
            pair.door.operations()["get"](target, name)


@pytest.mark.parametrize("target", [pathlib.Path("/proc/self/environ"), Keeper, [1], len], ids=repr)
@pytest.mark.parametrize("operation", ["get", "set", "call"])
def test_the_subject_works_on_nothing_that_no_test_handed_over(pair: Pair, operation: str, target: Any) -> None:
    arguments = {"get": ["x"], "set": ["x", 1], "call": []}[operation]
    with pytest.raises(Malformed, match="no test handed over"):
        pair.door.operations()[operation](target, *arguments)


def test_a_library_s_class_is_neither_changed_nor_called(pair: Pair) -> None:
    pair.driver.exports.lend(pathlib.Path)
    for operation, arguments in (("set", ["exists", 1]), ("call", ["/x"])):
        with pytest.raises(CannotCarry):
            pair.door.operations()[operation](pathlib.Path, *arguments)


@pytest.mark.parametrize("value", [pytest, Pair], ids=["module", "class"])
def test_objects_of_unknown_libraries_stay_here(pair: Pair, value: Any) -> None:
    with pytest.raises(CannotCarry, match="needs the implementation in the test's process"):
        pair.door.may_lend(value)


def test_an_answer_before_the_question_is_malformed(pair: Pair) -> None:
    pair._ends[1].sendall(b"\0" * 8)
    with pytest.raises(Malformed, match="before the question"):
        pair.request("dir", [])


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!Q", MAX_BYTES + 1),
        struct.pack("!Q", 3) + b"{}x",
        struct.pack("!Q", 2) + b"[]",
        struct.pack("!Q", 200_000) + b"[" * 200_000,
    ],
    ids=["too large", "no JSON", "empty", "deep"],
)
def test_a_message_that_is_none_is_malformed(data: bytes) -> None:
    ours, theirs_end = socket.socketpair()
    with ours, theirs_end:
        theirs_end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        theirs_end.sendall(data)
        with pytest.raises(Malformed):
            Wire(ours).receive()


def test_a_closed_connection_means_that_the_other_side_is_gone() -> None:
    ours, theirs_end = socket.socketpair()
    theirs_end.close()
    with ours, pytest.raises(SubjectGone):
        Wire(ours).receive()


TOLD = {
    "name": "Forged", "qualname": "Forged", "module": "impl", "doc": None, "bases": [], "meta": False,
    "standard": False, "asks": False,
}  # fmt: skip


@pytest.mark.parametrize("member", ["f", "p", "c", "s"])
@pytest.mark.parametrize("name", ["__eq__", "__lt__", "__hash__"])
def test_an_operator_disguised_as_another_kind_of_member_is_a_judgement_still(
    pair: Pair, name: str, member: str
) -> None:
    pair.driver.classes.learn(101, {**TOLD, "members": {name: member}}, [], [])
    forged = pair.driver.shell(["o", 103, ["c", 101]])

    def refuse(*_: Any, **__: Any) -> None:
        raise LookupError

    pair.request = refuse  # type: ignore[method-assign]
    with contextlib.suppress(LookupError, TypeError):  # Python passes over some errors of such a look-up
        {"__eq__": lambda: forged == 5, "__lt__": lambda: forged < 5, "__hash__": lambda: hash(forged)}[name]()
    assert pair.judgements == 1


@pytest.mark.parametrize("name", ["__subclasshook__", "__class__", "__getattribute__", "_refute_root_"])
def test_a_class_cannot_bring_members_that_would_decide_here(pair: Pair, name: str) -> None:
    pair.driver.classes.learn(101, {**TOLD, "members": {name: "p"}}, [], [])
    assert name not in vars(pair.driver.classes.class_of(["c", 101]))


def test_a_class_of_classes_costs_the_test_that_names_it(pair: Pair) -> None:
    pair.driver.classes.learn(101, {**TOLD, "is_meta": True, "members": {"__eq__": "f"}}, [], [])
    pair.driver.classes.class_of(["c", 101])
    ((reason, _),) = pair.driver.lost
    assert "class of classes" in reason


def test_no_code_of_pythons_own_class_runs_on_its_empty_stand_in(pair: Pair) -> None:
    told: dict[str, Any] = {
        **TOLD,
        "module": "json.encoder",
        "qualname": "JSONEncoder",
        "standard": True,
        "members": {},
    }
    pair.driver.classes.learn(101, told, [], [])
    asked: list[tuple[Any, ...]] = []
    pair.request = lambda *args, **_: asked.append(args)  # type: ignore[method-assign]
    forged = pair.driver.shell(["o", 103, ["c", 101]])
    assert isinstance(forged, json.JSONEncoder)
    assert forged.encode is None
    assert asked[0][0] == "get"
