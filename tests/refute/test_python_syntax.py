"""Parsing in several threads at once."""

import gc
import sys
import threading
import time

from refute.python_syntax import parse_python

SOURCE = "\n".join(
    f"def f{n}(a):\n    return [a + {n} for a in range(a) if (a, {{a: [1, (2, 3)]}})]" for n in range(200)
)


def test_threads_that_parse_at_once_do_not_break_each_other() -> None:
    errors: list[BaseException] = []

    def work() -> None:
        deadline = time.monotonic() + 0.4
        try:
            while time.monotonic() < deadline:
                parse_python(SOURCE)
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is what this test looks for
            errors.append(error)

    def let_others_run(_phase: str, _info: dict[str, int]) -> None:
        sum(range(50))

    before, crew = sys.getswitchinterval(), [threading.Thread(target=work) for _ in range(4)]
    sys.setswitchinterval(1e-5)
    gc.callbacks.append(let_others_run)
    try:
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
    finally:
        gc.callbacks.remove(let_others_run)
        sys.setswitchinterval(before)
    assert errors == []
