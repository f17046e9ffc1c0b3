"""Nothing that pytest makes of a test's name and parameters reaches the subject: expected values stand there."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

MARKS: Final = ("PYTEST", "HYPOTHESIS")
"""How variables begin that say that this is a test."""


def without_marks(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing says that this is a test."""
    return {name: value for name, value in environment.items() if not name.startswith(MARKS)}


def forget_marks() -> None:
    """Take pytest's own variables out of what programs of a test inherit; Hypothesis looks at its own later."""
    for name in [name for name in os.environ if name.startswith(MARKS[0])]:
        del os.environ[name]


def hide_names() -> None:
    """Keep names of tests out of the environment and of the folders that tests get.

    `test_add[2-3-5]` is what pytest would put into `PYTEST_CURRENT_TEST`, and `test_add_2_3_5_0` what it would call
    `tmp_path` (https://docs.pytest.org/en/stable/how-to/tmp_path.html, 2026-11-22).

    Raises:
        AttributeError: this version of pytest does it elsewhere.
    """
    from _pytest import runner, tmpdir

    if not (hasattr(runner, "_update_current_test_var") and hasattr(tmpdir, "_mk_tmp")):
        raise AttributeError("this version of pytest puts names of tests elsewhere: got neither of the known places")
    runner._update_current_test_var = lambda *_: None  # noqa: SLF001  # there is no public way
    tmpdir._mk_tmp = _folder  # noqa: SLF001


def _folder(request: Any, factory: Any) -> Path:
    del request  # whose name it would be
    folder: Path = factory.mktemp("test", numbered=True)
    return folder
