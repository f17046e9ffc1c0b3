"""Nothing that pytest makes of a test's name and parameters reaches the subject: expected values stand there."""

from pathlib import Path
from typing import Any


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
