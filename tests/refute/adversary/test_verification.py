from dataclasses import replace
from textwrap import dedent

import pytest

from refute.adversary.import_failure import is_declared
from refute.adversary.verification import judge_verification, script_command
from refute.outcome import Status
from refute.sandbox.job import End, Exited, JobResult, Limit, LimitReached, TimedOut
from refute.ticket.record import LeftOut
from tests.refute.adversary.conftest import make_brief


def result(
    stdout: str = "", stderr: str = "", *, end: End | None = None, canary_files: tuple[str, ...] = ()
) -> JobResult:
    return JobResult(
        end=end or Exited(code=1),
        stdout=dedent(stdout),
        stderr=dedent(stderr),
        duration_s=1.0,
        overhead_s=0.1,
        canary_files_touched=canary_files,
    )


TICKET = make_brief().ticket
UNCAUGHT = """\
    Traceback (most recent call last):
      File "/workspace/verify.py", line 3, in <module>
        import impl
      File "/workspace/impl.py", line 7, in <module>
        import leftpad
    ModuleNotFoundError: No module named 'leftpad'
    """
PYTEST = """\
    ==================================== ERRORS ====================================
    _____________________ ERROR collecting tests/test_impl.py ______________________
    ImportError while importing test module '/workspace/tests/test_impl.py'.
    Hint: make sure your test modules/packages have valid Python names.
    Traceback:
    /usr/lib/python3.11/importlib/__init__.py:126: in import_module
        return _bootstrap._gcd_import(name[level:], package, level)
    tests/test_impl.py:1: in <module>
        import leftpad
    E   ModuleNotFoundError: No module named 'leftpad'
    =========================== short test summary info ============================
    ERROR tests/test_impl.py
    !!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
    1 error in 0.08s
    """
CONFTEST = """\
    ImportError while loading conftest '/workspace/conftest.py'.
    conftest.py:2: in <module>
        import leftpad
    E   ModuleNotFoundError: No module named 'leftpad'
    """
LAZY = """\
    =================================== FAILURES ===================================
    ___________________________________ test_run ___________________________________

        def test_run():
    >       impl.run()

    test_impl.py:4:
    _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

        def run():
    >       import leftpad
    E       ModuleNotFoundError: No module named 'leftpad'

    impl.py:2: ModuleNotFoundError
    =========================== short test summary info ============================
    FAILED test_impl.py::test_run - ModuleNotFoundError: No module named 'leftpad'
    1 failed in 0.05s
    """
UNITTEST = """\
    E
    ======================================================================
    ERROR: test_impl (unittest.loader._FailedTest.test_impl)
    ----------------------------------------------------------------------
    ImportError: Failed to import test module: test_impl
    Traceback (most recent call last):
      File "/usr/lib/python3.11/unittest/loader.py", line 162, in loadTestsFromName
        module = __import__(module_name)
      File "/workspace/test_impl.py", line 1, in <module>
        import leftpad
    ModuleNotFoundError: No module named 'leftpad'


    ----------------------------------------------------------------------
    Ran 1 test in 0.000s

    FAILED (errors=1)
    """
DOCTEST = """\
    **********************************************************************
    File "/workspace/impl.py", line 3, in impl.run
    Failed example:
        run()
    Exception raised:
        Traceback (most recent call last):
          File "/usr/lib/python3.11/doctest.py", line 1353, in __run
            exec(compile(example.source, filename, "single",
          File "<doctest impl.run[0]>", line 1, in <module>
            run()
          File "/workspace/impl.py", line 6, in run
            import leftpad
        ModuleNotFoundError: No module named 'leftpad'
    **********************************************************************
    1 items had failures:
       1 of   1 in impl.run
    ***Test Failed*** 1 failures.
    """
OTHER_DOCTEST = 'File "x.py", line 9, in x.f\nFailed example:\n    f()\nExpected:\n    1\nGot:\n    2\n'
IN_A_CHILD = """\
    Traceback (most recent call last):
      File "/workspace/verify.py", line 2, in <module>
        subprocess.run([sys.executable, "impl.py"], check=True)
    subprocess.CalledProcessError: Command '['python', 'impl.py']' returned non-zero exit status 1.
    """


@pytest.mark.parametrize(
    ("stdout", "stderr", "place"),
    [
        ("", UNCAUGHT, "/workspace/impl.py:7"),
        (UNCAUGHT, "", "/workspace/impl.py:7"),
        (PYTEST, "", "tests/test_impl.py:1"),
        ("", CONFTEST, "conftest.py:2"),
        (LAZY, "", "impl.py:2"),
        ("", UNITTEST, "/workspace/test_impl.py:1"),
        ("", dedent(UNCAUGHT) + "FAIL: import of impl\n", "/workspace/impl.py:7"),
        (DOCTEST, "", "/workspace/impl.py:6"),
        ("", UNCAUGHT + IN_A_CHILD, "/workspace/impl.py:7"),
    ],
    ids=[
        *("python", "python on stdout", "pytest", "conftest", "imported late", "unittest"),
        *("the script's own words", "doctest", "in a child process"),
    ],
)
def test_an_uncaught_import_error_is_told_with_module_and_place(stdout: str, stderr: str, place: str) -> None:
    stop = judge_verification(result(stdout, stderr), TICKET)
    assert stop.status is Status.FAILED_IMPORT
    assert "leftpad" in stop.reason
    assert place in stop.reason
    assert "name it under `requirements`" in stop.reason
    left_out = [LeftOut(path="src/leftpad.py", reason="ignored by git")]
    stop = judge_verification(result(stdout, stderr), TICKET, left_out=left_out)
    assert "src/leftpad.py is not in the snapshot (ignored by git): name it under `include`" in stop.reason


def test_what_an_installer_would_have_left_is_named_with_where_to_put_it() -> None:
    stderr = """\
        Traceback (most recent call last):
          File "/workspace/impl.py", line 7, in <module>
            __version__ = importlib.metadata.version("impl")
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          File "/usr/lib/python3.11/importlib/metadata/__init__.py", line 1008, in version
            return distribution(distribution_name).version
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          File "/usr/lib/python3.11/importlib/metadata/__init__.py", line 565, in from_name
            raise PackageNotFoundError(name)
        importlib.metadata.PackageNotFoundError: No package metadata was found for impl
        """
    stop = judge_verification(result("", stderr), TICKET)
    assert stop.status is Status.FAILED_IMPORT
    assert "at /workspace/impl.py:7: No package metadata was found for impl; nothing is installed" in stop.reason
    assert "add a folder NAME.dist-info with a METADATA file" in stop.reason


def test_a_missing_name_of_the_tickets_own_module_is_an_import_failure() -> None:
    stderr = """\
        Traceback (most recent call last):
          File "/workspace/x.py", line 1, in <module>
            from impl import gone
        ImportError: cannot import name 'gone' from 'impl' (/workspace/impl.py)
        """
    stop = judge_verification(result("", stderr), TICKET)
    assert (stop.status, "'gone' from 'impl'" in stop.reason) == (Status.FAILED_IMPORT, True)
    assert "requirements" not in stop.reason


@pytest.mark.parametrize(
    ("stdout", "stderr"),
    [
        ("", '  File "/workspace/impl.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n'),
        ('E     File "/workspace/impl.py", line 3\nE       x\nE   IndentationError: unexpected indent\n1 error\n', ""),
        ("", '  File "impl.py", line 3\nTabError: inconsistent use of tabs\nmake: *** [check] Error 1\n'),
    ],
)
def test_a_file_that_is_no_python_is_an_import_failure(stdout: str, stderr: str) -> None:
    stop = judge_verification(result(stdout, stderr), TICKET)
    assert (stop.status, "impl.py:3" in stop.reason) == (Status.FAILED_IMPORT, True)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("ImportError: No module named 'leftpad'", "", 1),
        ("", "ImportError: No module named 'leftpad'\n", 1),
        ("FAILED t.py::a - ModuleNotFoundError: No module named 'x'\nFAILED t.py::b - assert 1 == 2\n", "", 1),
        (
            "",
            dedent(UNCAUGHT)
            + "\nDuring handling of the above exception, another exception occurred:\n\n"
            + 'Traceback (most recent call last):\n  File "x.py", line 9, in <module>\nRuntimeError: no backend\n',
            1,
        ),
        ("", dedent(UNCAUGHT) + "AssertionError: wrong answer\n", 1),
        ("FAILED test_impl.py::test_a - assert 1 == 2\n1 failed in 0.1s\n", UNCAUGHT, 1),
        ("assert 1 == 2", "", 1),
        ("", '  File "test_impl.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n', 1),
        (dedent(DOCTEST) + OTHER_DOCTEST, "", 1),
        ("", dedent(UNCAUGHT) + "./verify.sh: line 4: refutex: command not found\n", 1),
        ("", dedent(UNCAUGHT) + "grep: out.txt: No such file or directory\n", 1),
        ("", UNCAUGHT, 127),
        ("", UNCAUGHT, 137),
    ],
    ids=[
        *("printed", "printed on stderr", "mixed tests", "chained", "then another", "tests failed", "none"),
        *("not its file", "another doctest failed", "command", "grep", "127", "killed"),
    ],
)
def test_an_import_error_that_is_not_why_the_script_failed_is_no_import_failure(
    stdout: str, stderr: str, code: int
) -> None:
    stop = judge_verification(result(stdout, stderr, end=Exited(code=code)), TICKET)
    assert stop.status is Status.FAILED_VERIFICATION


def test_a_script_that_exits_with_zero_passes_whatever_it_printed() -> None:
    assert judge_verification(result(UNCAUGHT, UNCAUGHT, end=Exited(code=0)), TICKET) is None


def test_a_declared_module_that_the_image_lacks_says_nothing_about_the_code() -> None:
    declared = replace(TICKET, requirements=("leftpad==1.0 --hash=x",))
    stop = judge_verification(result("", UNCAUGHT), declared)
    assert (stop.status, "leftpad" in stop.reason) == (Status.ERROR, True)


@pytest.mark.parametrize(
    ("module", "requirement", "expected"),
    [
        ("yaml", "PyYAML==6.0 --hash=sha256:1", True),
        ("typing_extensions", "typing-extensions==4", True),
        ("leftpad", "rightpad==1", False),
        ("req", "requests==2", False),
        ("google.cloud.storage", "google-cloud-storage==2", True),
        ("dateutil.parser", "python-dateutil==2", True),
    ],
)
def test_a_module_is_matched_with_the_distribution_that_brings_it(
    module: str, requirement: str, *, expected: bool
) -> None:
    assert is_declared(module, ["", requirement]) is expected


def test_a_time_out_names_the_stage_and_what_was_printed() -> None:
    stop = judge_verification(result("so far", end=TimedOut(limit_s=300)), TICKET)
    assert stop.status is Status.FAILED_TIMEOUT
    assert stop.reason == "verification: verify.sh did not end within 300 s; it printed last:\nso far"


def test_a_resource_limit_is_named() -> None:
    end = LimitReached(limit=Limit.MEMORY, detail="2.0 GiB of memory", exit_code=137)
    stop = judge_verification(result(end=end), TICKET)
    assert stop.status is Status.FAILED_RESOURCES
    assert "memory limit (2.0 GiB of memory); it printed nothing" in stop.reason


@pytest.mark.parametrize("end", [Exited(code=0), Exited(code=1), TimedOut(limit_s=1)])
def test_damage_outside_the_workspace_blocks_however_the_script_ended(end: End) -> None:
    stop = judge_verification(result(end=end, canary_files=("/home/subject/.bashrc",)), TICKET)
    assert stop.status is Status.BLOCKED_DANGEROUS_OPERATION
    assert "/home/subject/.bashrc" in stop.reason


@pytest.mark.parametrize(
    ("path", "script", "command"),
    [
        ("verify.sh", b"true\n", "bash"),
        ("verify", b"#!/bin/sh\ntrue\n", "bash"),
        ("verify.py", b"import slug\n", "python"),
        ("verify", b"#!/usr/bin/env python3\nimport slug\n", "python"),
        ("verify.py", b"#!/bin/bash\ntrue\n", "bash"),  # the scan blocks what disagrees with itself
    ],
)
def test_a_script_runs_in_the_language_that_it_is_scanned_in(path, script, command):
    assert script_command(path, script) == (command, f"./{path}")
