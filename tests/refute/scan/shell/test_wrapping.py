"""Commands that run another one: whichever they are and however they are called, it is judged."""

import pytest

from refute.scan.finding import Severity
from refute.scan.scanner import scan_text
from refute.scan.shell.wrapper_table import WRAPPERS
from refute.scan.shell.wrapping import Wrapper

DANGER = "rm -rf /etc"
QUOTED = f"'{DANGER}'"


def blocking(text: str) -> set[str]:
    """Rules of what blocks."""
    return {finding.rule_id for finding in scan_text("x.sh", text.encode()) if finding.severity >= Severity.HIGH}


def plainly(name: str, wrapper: Wrapper) -> str:
    """The shortest call that runs the danger."""
    command, _, verb = name.partition(":")
    first = " ".join(filter(None, [command, verb, *(wrapper.verbs[0] if wrapper.verbs else ())]))
    operands = "x " * wrapper.operands
    if wrapper.text and wrapper.starts == {"-"}:
        option = min(wrapper.text, key=len)
        return f"{first} {operands}{'-' if len(option) == 1 else '--'}{option} {QUOTED}"
    if wrapper.starts:
        option = min(wrapper.starts, key=len)
        return f"{first} {operands}{'-' if len(option) == 1 else '--'}{option} {DANGER}"
    return f"{first} {operands}{QUOTED if wrapper.each else DANGER}"


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_what_each_of_them_runs_is_judged(name: str) -> None:
    text = plainly(name, WRAPPERS[name])
    assert "delete-outside" in blocking(text), text


@pytest.mark.parametrize(
    "call",
    [
        f"tmux new-session -d {QUOTED}",
        f"tmux -L sock -f /dev/null new -d -s work -x 200 {DANGER}",
        f"tmux send-keys -t work {QUOTED} Enter",
        "tmux send-keys -t work rm Space '-rf' Space /etc C-m",
        f"tmux new-session -d \\; send-keys {QUOTED} Enter",
        f"tmux split-window -h {QUOTED} ';' split-window true",
        f'tmux if-shell true "run-shell {QUOTED}"',
        f"tmux if-shell {QUOTED} 'display hello'",
        f"byobu new-window -n x {QUOTED}",
        f"screen -dmS work {DANGER}",
        f"screen -d -m -S work bash -c {QUOTED}",
        "screen -S work -X stuff 'rm -rf /etc\\n'",
        f"screen -S work -X exec {DANGER}",
        f"npx -y -p left-pad -c {QUOTED}",
        f"npm exec --package=x -c {QUOTED}",
        f"npm exec -- {DANGER}",
        f"pnpm dlx {DANGER}",
        f"conda run --no-capture-output --name env {DANGER}",
        f"micromamba run -p /env {DANGER}",
        f"perf stat -e cycles -r 5 -- {DANGER}",
        f"bwrap --ro-bind / / --dev /dev --unshare-all --setenv A B {DANGER}",
        f"gdb -q -batch -ex run --args {DANGER}",
        "gdb -batch -ex '!rm -rf /etc'",
        "lldb -o 'platform shell rm -rf /etc'",
        f"setarch x86_64 -R {DANGER}",
        f"setarch -R {DANGER}",
        f"timeout --signal KILL --kill-after 5 9 {DANGER}",
        f"ionice --class 3 {DANGER}",
        f"stdbuf --output L {DANGER}",
        f"/usr/bin/time --format %e -o x {DANGER}",
        f"env --chdir /x --unset A {DANGER}",
        f"env --split-string {QUOTED}",
        f"flock --timeout 5 /tmp/l -c {QUOTED}",
        f"parallel --jobs 4 {QUOTED} ::: a",
        f"parallel --jobs 4 ::: {QUOTED}",
        f"hyperfine --warmup 3 --prepare {QUOTED} true",
        f"hyperfine -N true {QUOTED}",
        f"watch --interval 1 {QUOTED}",
        f"xvfb-run --server-args '-screen 0' -a {DANGER}",
        f"mise exec node@20 -- {DANGER}",
        f"mise x -c {QUOTED}",
        f"uv run --with x --no-project {DANGER}",
        f"uv tool run {DANGER}",
        f"hatch run test:{DANGER}",
        f"poetry -C sub run {DANGER}",
        f"nix shell nixpkgs#hello -c {DANGER}",
        f"mpirun -np 2 {DANGER}",
        f"fd . -e py -X {DANGER}",
        f"git -C sub bisect run {DANGER}",
        f"git rebase -i --exec {QUOTED} main",
        f"cmake -E env A=1 --unset=B {DANGER}",
        "cmake -E rm -rf /etc",
        "cmake -E remove_directory /etc",
        f"gnome-terminal --title x -- {DANGER}",
        f"tox -e py exec -- {DANGER}",
        f"npx cross-env A=1 timeout 5 conda run -n e {DANGER}",
    ],
)
def test_what_stands_behind_options_is_judged(call: str) -> None:
    assert "delete-outside" in blocking(call)


@pytest.mark.parametrize(
    "call",
    [
        "tmux new-session -d -s dev 'make watch'",
        "tmux send-keys -t dev 'npm test' Enter",
        "tmux kill-session -t dev",
        "tmux",
        "screen -ls",
        "screen -dmS dev make watch",
        "npx eslint .",
        "npx -y -p typescript tsc --noEmit",
        "npm exec -- jest --ci",
        "npm test",
        "yarn install --frozen-lockfile",
        "conda run -n env python -c 'print(1)'",
        "conda env list",
        "perf stat -r 5 ./build/bench",
        "perf report",
        "gdb -batch -ex bt ./build/app core",
        "gdb --args ./build/app --input x",
        "timeout --signal=KILL 60 pytest -q",
        "hyperfine --warmup 3 './build/a' './build/b'",
        "parallel -j4 gzip ::: a b",
        "watch -n 1 ls",
        "git bisect run make test",
        "git rebase -x 'make test' main",
        "git submodule foreach 'git status'",
        "git rebase main",
        "cmake -E make_directory build",
        "cmake -E rm -rf build",
        "cmake -B build",
        "uv run --with pytest pytest -q",
        "uv sync --frozen",
        "uvx ruff check",
        "hatch run test:pytest",
        "tox -e py311",
        "nix develop -c make test",
        "nix build",
        "cargo test",
        "go test ./...",
        "fd -e py",
        "fd -e py -x wc -l",
        "mpirun -np 2 ./build/app",
        "xvfb-run -a pytest",
        "just test",
        "meson test -C build",
        "nodemon server.js",
        "script -q out",
    ],
)
def test_ordinary_work_is_not_blocked(call: str) -> None:
    assert blocking(call) == set()
