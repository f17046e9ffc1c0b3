"""What runs in a container to record a version's answers: plain calls in, plain answers out; imports no refute."""

import datetime as dt
import itertools
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Never

LIMIT_S = 0.5
WAY_LIMIT_S = 2.0
RUN_LIMIT_S = 25.0
MOST_CHARACTERS = 1_500
VALUES = {"datetime": dt, "Decimal": Decimal, "Fraction": Fraction}
"""By what the inputs are written."""
PLAIN = (bool, int, float, str, bytes, type(None))


def plain(value: Any, depth: int = 8) -> bool:
    """Whether a value is built of exact built-in types, so that its repr says all of it."""
    kind = type(value)
    if kind in PLAIN:
        return kind is not float or value - value == 0
    if not depth or kind not in (list, tuple, dict, set):
        return False
    parts = itertools.chain(value, value.values()) if kind is dict else value
    return (kind is not set or bool(value)) and all(plain(part, depth - 1) for part in parts)


def answer_of(call: Callable[..., Any], arguments: Sequence[Any]) -> list[str] | None:
    """How a call ended, and with what: a `value`, the `text` of an object, or the name of what it `raises`."""
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S, LIMIT_S)
    try:
        how, what = outcome_of(call, arguments)
        what.encode()  # JSON with half a surrogate pair is refused whole, and all other answers with it
    except (Exception, TooLong):  # noqa: BLE001  # nothing is known of what has no text, as a number of too many digits
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None if len(what) > MOST_CHARACTERS or " at 0x" in what else [how, what]


def outcome_of(call: Callable[..., Any], arguments: Sequence[Any]) -> tuple[str, str]:
    """As `answer_of`, of any length. Raises whatever an object raises that is asked for its text."""
    try:
        value = call(*arguments)
        if hasattr(value, "__next__"):
            value = list(itertools.islice(value, 1000))
    except Exception as error:  # noqa: BLE001  # whatever it is: it is the answer
        return "raises", type(error).__name__
    return ("value", repr(value)) if plain(value) else ("text", f"{type(value).__name__}: {value}")


class TooLong(BaseException):
    """A call took too long: nothing is known; the code's own `except Exception` is not to take it for an answer."""


def too_long(*_: object) -> Never:
    """End the call."""
    raise TooLong


def answers_of(way: dict[str, Any], until: float) -> list[list[str] | None]:
    """The answers to every row of one way of calling; none where it cannot be called at all.

    A child of its own answers: a call within C that hears no signal, or that ends its process, costs what it did not
    answer of this way, and nothing of the others. What the way imports is imported once, before.
    """
    names: dict[str, Any] = {}
    try:
        exec("\n".join(way["imports"]), names)  # noqa: S102  # in the container
        call = eval(f"lambda {', '.join(way['holes'])}: {way['call']}", names)  # noqa: S307  # in the container
    except Exception:  # noqa: BLE001  # it does not import, whatever the reason
        return [["raises", "ImportError"] for _ in way["rows"]]
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer_rows(call, way["rows"], writing)
        finally:
            os._exit(0)
    os.close(writing)
    *lines, _ = heard(reading, until).split(b"\n")
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return [*map(json.loads, lines), *(None for _ in way["rows"][len(lines) :])]


def answer_rows(call: Callable[..., Any], rows: Sequence[str], writing: int) -> None:
    """A line for every row, each as soon as it is known."""
    end = time.monotonic() + WAY_LIMIT_S
    for row in rows:
        if time.monotonic() > end:
            return
        first, again = (answer_of(call, eval(row, dict(VALUES))) for _ in range(2))  # noqa: S307  # our own plan
        os.write(writing, json.dumps(first if first == again else None).encode() + b"\n")


def heard(reading: int, until: float) -> bytes:
    """What comes through a pipe until its writer closes it, or the time is over."""
    data = b""
    while (left := until - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        more = os.read(reading, 65536)
        if not more:
            break
        data += more
    return data


def main(plan: str, answers: str) -> None:
    """Answer what a plan asks, into a file."""
    signal.signal(signal.SIGALRM, too_long)
    asked = json.loads(Path(plan).read_text(encoding="utf-8"))
    sys.path[:0] = asked["roots"]
    end = time.monotonic() + RUN_LIMIT_S
    found = [answers_of(way, min(end, time.monotonic() + 2 * WAY_LIMIT_S)) for way in asked["ways"]]
    Path(answers).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
