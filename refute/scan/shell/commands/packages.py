"""Commands that install software, or control container engines and clouds."""

# ruff: noqa: SIM905, E501 - long tables of names read best as words, patterns on one line

import re
from collections.abc import Callable
from typing import Final

from refute.scan import hosts, paths
from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import note_run
from refute.scan.shell.commands.publishing import configure, publish
from refute.scan.shell.commands.system import ATTACK_TOOLS, MINERS, only_asks
from refute.scan.shell.options import split_options
from refute.scan.symbols import DERIVED, DOWNLOAD, HOME, UNKNOWN, show

_MACHINE: Final = frozenset(
    {"/etc", "/root", "/home", "/var", "/usr", "/boot", "/proc", "/sys", "/dev", "/run", "/opt"}
)
_PACMAN: Final = re.compile(r"-(?:S|U|R)[a-z]*")
_ELSEWHERE: Final = re.compile(rf"://|\bgit\+|^(?:git@|ssh:)|@git|\.(?:deb|rpm|apk|gem|tgz)\Z|{DERIVED}|{DOWNLOAD}")
_UNCHECKED: Final = re.compile(
    r"--(?:allow-unauthenticated|allow-insecure|force-yes|nogpgcheck|no-gpg-check|allow-untrusted|source|registry|git|repofrompath"
    r"|no-verify-ssl|insecure|dangerous|trust-policy=none)"
)
_UNINSTALL: Final = re.compile(r"remove|purge|autoremove|del|erase")
_INSTALL: Final = "install|reinstall|upgrade|full-upgrade|dist-upgrade|update|remove|purge|autoremove|add|del|build-dep|groupinstall|in|localinstall|erase"


_LOCAL_CLOUD: Final = re.compile(
    r"gcloud (?:config (?:get-value|list|get|set)|info|components list)\b|(?:kubectl|oc|helm|gh|doctl|flyctl) completion\b|helm (?:lint|template|create|package)\b"
    r"|terraform (?:-chdir=\S+ )?(?:fmt|validate|version|init(?: -\S+)* -backend=false)\b|kubectl (?:version --client|kustomize)\b|az (?:bicep|version)\b|vault version\b"
)
"""What needs no account and asks no cloud."""


_OPENS_HOST: Final = re.compile(
    r"--privileged|--(?:pid|userns|ipc|uts)[= ]host|--cap-add|docker\.sock|--device|\"(?:hostPID|privileged)\""
)
_MOUNTED: Final = re.compile(r"(?:^|\s)(?:-v|--volume)[= ]?([^:\s]+):|\b(?:source|src)=([^,\s]+)")


def _mounts(call: Call, text: str) -> None:
    """Judge what of the machine a container gets to see."""
    for match in _MOUNTED.finditer(text):
        target = paths.locate(match[1] or match[2], call.walker.scope.cwd)
        if target.text in {"/", HOME} or target.text in _MACHINE:
            call.act.add("container-escape", detail=f"The container gets {show(target.text)} of the machine.")
        elif "/" in target.text:
            call.act.read(target.text)


def _docker(call: Call) -> str:
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    text = " ".join(call.argv)
    _mounts(call, text)
    for host in re.findall(r"(?:-H|--host)[= ](?:tcp|ssh)://(?:[^@/\s]+@)?([^:/\s]+)", text):
        call.act.connect(host)
    if any(MINERS & set(re.split(r"[/:@]", word)) for word in words):
        call.act.add("crypto-miner")
    if _OPENS_HOST.search(text):
        call.act.add("container-escape")
    elif words and words[0] in {
        "run",
        "exec",
        "create",
        "cp",
        "start",
        "build",
        "compose",
        "push",
        "pull",
        "login",
        "rm",
        "rmi",
        "system",
        "volume",
        "kill",
        "stop",
    }:
        call.act.add("container-escape", severity=Severity.MEDIUM, detail="The sandbox has no engine.")
    return UNKNOWN


def _is_emulated(call: Call) -> bool:
    """Whether the cloud that is meant runs on this machine: by the address it is called at."""
    options = split_options(call.argv[1:], "", frozenset({"endpoint-url", "endpoint", "address"}), mixed=True)[0]
    named = [value for name in ("endpoint-url", "endpoint", "address") for value in options.get(name, [])]
    if call.argv[0] == "vault":
        named = named or list(call.walker.scope.variables.get("VAULT_ADDR", ()))
    return bool(named) and all(hosts.reach_of(hosts.host_of(one) or UNKNOWN) == hosts.Reach.LOOPBACK for one in named)


def _cloud(call: Call) -> str:
    if len(call.argv) > 1 and not only_asks(call):
        local = _LOCAL_CLOUD.match(" ".join(call.argv)) or _is_emulated(call)
        call.act.add("cloud-control", severity=Severity.MEDIUM if local else None)
    return UNKNOWN


def _pip(call: Call) -> str:
    options, words = split_options(
        call.argv[1:],
        "ritcewd",
        frozenset(
            {
                "requirement",
                "target",
                "index-url",
                "extra-index-url",
                "find-links",
                "constraint",
                "editable",
                "python",
                "cache-dir",
                "prefix",
                "root",
                "wheel-dir",
                "dest",
            }
        ),
        mixed=True,
    )
    if words[:1] == ["pip"]:
        words = words[1:]
    if words[:2] == ["config", "set"]:
        configure(call, words[2:])
    elif words[:1] == ["publish"]:
        publish(call)
    if not words or words[0] not in {"install", "download", "wheel", "add", "sync", "tool", "inject"}:
        if words[:1] == ["uninstall"]:
            call.act.add("package-install", severity=Severity.MEDIUM, detail="Removes packages.")
        return UNKNOWN
    named = [word for word in words[1:] if word and not _is_local(word)]
    elsewhere = options.keys() & {"index-url", "extra-index-url", "i", "trusted-host", "f", "find-links"}
    offline = "no-index" in options
    _install(call, named, elsewhere=bool(elsewhere) and not offline)
    return UNKNOWN


def _install(call: Call, named: list[str], *, elsewhere: bool = False) -> None:
    """Judge installing packages.

    By name from where the package manager gets everything, it is shown: without network it fails, and what it puts
    into the container goes with it. It blocks where something else decides what is run: another source, an address,
    a repository, decoded or downloaded names, or a tool for attacks by its name.

    Args:
        call: the package manager's call.
        named: what is to be installed, without paths of the workspace.
        elsewhere: whether options name another source, or switch off its checks.
    """
    fed = DOWNLOAD in call.stdin or DERIVED in call.stdin
    strong = elsewhere or fed or any(_ELSEWHERE.search(word) or _bare(word) in ATTACK_TOOLS for word in named)
    call.act.add("package-install", severity=None if strong else Severity.MEDIUM)


def _bare(word: str) -> str:
    return re.split(r"[=<>@:/]", word, maxsplit=1)[0]


def _is_local(word: str) -> bool:
    """Whether a requirement is a path: of the workspace itself, or of what it has built."""
    path = word.partition("[")[0]
    return "://" not in word and "@" not in word and (path == "." or "/" in path or path.endswith((".whl", ".tar.gz")))


def _packages(installing: str) -> Callable[[Call], str]:
    pattern = re.compile(installing)

    def judge(call: Call) -> str:
        operands = [word for word in call.argv[1:] if not word.startswith("-")]
        simulated = {"-s", "--simulate", "--dry-run", "-d", "--download-only", "--print-uris"} & set(call.argv)
        if operands and pattern.fullmatch(operands[0]) and _UNINSTALL.fullmatch(operands[0]):
            call.act.add("package-install", severity=Severity.MEDIUM if simulated else None, detail="Removes packages.")
        elif operands and pattern.fullmatch(operands[0]):
            _install(call, operands[1:], elsewhere=any(_UNCHECKED.search(word) for word in call.argv))
        elif operands[:1] in (["publish"], ["push"]) and call.argv[0] in {"cargo", "gem"}:
            publish(call)
        _hooks(call)
        return UNKNOWN

    return judge


def _hooks(call: Call) -> None:
    """Judge options of apt that name commands for it to run."""
    for word in call.argv[1:]:
        name, equals, command = word.removeprefix("-o").partition("=")
        if equals and re.search(r"(?i)::(?:pre|post)-(?:invoke|install-pkgs)", name):
            call.act.add("foreign-code", detail="An option of apt that runs a command.")
            call.walker.embedded(command, call.node)


def _node_packages(call: Call) -> str:
    operands = [word for word in call.argv[1:] if not word.startswith("-")]
    verb = operands[0] if operands else ""
    script = operands[1] if verb in {"run", "run-script"} and len(operands) > 1 else verb or "install"
    note_run(call, "package.json", f"npm {script}")
    if verb in {"install", "i", "add", "create", "init", "exec", "x", "dlx"} and len(operands) > 1:
        named = [word for word in operands[1:] if not word.startswith((".", "/"))]
        _install(call, named, elsewhere=any(word.startswith("--registry") for word in call.argv))
    elif verb == "publish" or operands[:2] == ["npm", "publish"]:
        publish(call)
    elif operands[:2] == ["pkg", "set"]:
        for word in operands[2:]:
            if word.startswith("scripts."):
                call.walker.embedded(word.partition("=")[2], call.node)
    elif verb in {"config", "set"}:
        configure(call, operands[2 if operands[1:2] == ["set"] else 1 :])
    elif verb in {"install", "ci", "i"} or (call.argv[0] in {"yarn", "pnpm"} and not operands):
        call.act.add("package-install", severity=Severity.MEDIUM)
    return UNKNOWN


def _pacman(call: Call) -> str:
    actions = [word for word in call.argv[1:] if _PACMAN.fullmatch(word) and word not in {"-Ss", "-Si"}]
    if any(word.startswith("-S") for word in actions):
        _install(call, [word for word in call.argv[1:] if not word.startswith("-")])
    elif actions:
        call.act.add("package-install")
    return UNKNOWN


def _dpkg(call: Call) -> str:
    if call.argv[0] == "rpm" and any(
        re.match(r"-[a-z]*[qV]|--query|--verify|--initdb|--eval|-E\Z", w) for w in call.argv[1:]
    ):
        return UNKNOWN
    if {"-i", "--install", "-r", "--remove", "-P", "--purge", "-U", "--erase", "-e", "-Uvh", "-ivh", "--unpack"} & set(
        call.argv
    ):
        call.act.add("package-install")
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(
        ("docker podman nerdctl ctr crictl buildah lxc docker-compose").split(),
        _docker,
    ),
    **dict.fromkeys(
        (
            "aws gcloud gsutil az kubectl helm oc doctl heroku terraform pulumi s3cmd rclone ibmcloud oci "
            "linode-cli hcloud flyctl vercel netlify eksctl bq vault op stratus"
        ).split(),
        _cloud,
    ),
    **dict.fromkeys(
        ("pip pip3 pipx uv easy_install poetry pipenv pdm").split(),
        _pip,
    ),
    **dict.fromkeys(("npm", "yarn", "pnpm", "npx", "bun", "bunx", "deno"), _node_packages),
    "pacman": _pacman,
    "yay": _pacman,
    **dict.fromkeys(("dpkg", "rpm"), _dpkg),
    **dict.fromkeys(
        (
            "apt apt-get aptitude yum dnf apk zypper pkg brew port emerge snap flatpak nix-env microdnf conda "
            "mamba micromamba guix opkg slackpkg tdnf urpmi eopkg xbps-install"
        ).split(),
        _packages(
            _INSTALL,
        ),
    ),
    **dict.fromkeys(
        ("gem cargo go luarocks cpan cpanm composer bundle opam cabal stack mix vcpkg").split(),
        _packages(
            "install|get|require|i",
        ),
    ),
}
