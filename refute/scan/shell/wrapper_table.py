"""Which commands run another one, each with how its own words end."""

# ruff: noqa: E501 - a table, one subject per line

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from refute.scan.shell.wrapping import Wrapper


def _wrap(  # noqa: PLR0913 - one parameter per field, written in the table below as shortly as can be
    names: str,
    valued: str = "",
    takes: str = "",
    operands: int = 0,
    *,
    verbs: str = "",
    starts: str = "",
    text: str = "",
    dashed: bool = False,
    each: bool = False,
) -> dict[str, Wrapper]:
    """Wrappers that are read alike; `takes` may say `option:2`, `verbs` are separated by commas."""
    counts = {name: int(count or 1) for name, _, count in (one.partition(":") for one in takes.split())}
    counts |= {name: 1 for name in text.split() if len(name) > 1}
    wrapper = Wrapper(
        valued=valued + "".join(name for name in text.split() if len(name) == 1),
        takes=MappingProxyType(counts),
        operands=operands,
        verbs=tuple(tuple(verb.split()) for verb in verbs.split(",") if verbs),
        starts=frozenset(starts.split()),
        text=frozenset(text.split()),
        dashed=dashed,
        each=each,
    )
    return dict.fromkeys(names.split(), wrapper)


WRAPPERS: Final[Mapping[str, Wrapper]] = MappingProxyType(
    {
        # Priority, time, limits, output
        **_wrap("nice", "n", "adjustment"),
        **_wrap("ionice", "cnpPu", "class classdata pid pgid uid"),
        **_wrap("time", "fo", "format output"),
        **_wrap("timeout gtimeout", "sk", "signal kill-after", 1),
        **_wrap("stdbuf", "ioe", "input output error"),
        **_wrap("nohup setsid unbuffer builtin coproc chronic ifne ts catchsegv eatmydata busybox toybox linux32 linux64"),
        **_wrap("i386 x86_64 uname26 fakechroot torsocks torify tini dumb-init catatonit with-contenv", "gpe"),
        **_wrap("exec", "a"),
        **_wrap("chrt", "TPD", "sched-runtime sched-period sched-deadline", 1),
        **_wrap("taskset", "", "", 1),
        **_wrap("numactl", "CNmipP", "cpunodebind membind physcpubind interleave preferred"),
        **_wrap("setarch", "", "", 1),
        **_wrap("prlimit", "p", "pid"),
        **_wrap("cpulimit", "lpe", "limit pid exe"),
        **_wrap("cgexec", "g"),
        **_wrap("softlimit", "acdfmlnoprst"),
        **_wrap("trickle", "sdu"),
        **_wrap("flock", "Ew", "timeout wait conflict-exit-code", 1),
        **_wrap("faketime", "", "", 1),
        **_wrap("retry", "tdm", "times delay max-time"),
        **_wrap("tsp", "LN"),
        **_wrap("daemonize", "acepoul"),
        **_wrap("daemon", "nuDFOolE", "name user chdir pidfile output stdout stderr errlog", dashed=True),
        **_wrap("rlwrap", "bcDefgHlpPsSzC"),
        # Other rights, other roots
        **_wrap("fakeroot", "lsib", "lib faked"),
        **_wrap("firejail", "", "profile output name"),
        **_wrap("unshare", "SGR", "setuid setgid root wd"),
        **_wrap("nsenter", "tSGrw", "target setuid setgid"),
        **_wrap("chroot", "", "", 1),
        **_wrap("capsh", "", text="c"),
        **_wrap("setpriv", "", "reuid regid groups inh-caps ambient-caps bounding-set securebits ruid euid rgid egid"),
        **_wrap("runcon", "turl", "type user role range", 1),
        **_wrap("setuidgid s6-setuidgid envuidgid envdir envchain", "", "", 1),
        **_wrap("chpst", "uUbeP/nmdofcrtl"),
        **_wrap("proot", "rbwqSRk", "rootfs bind cwd pwd qemu"),
        **_wrap(
            "bwrap",
            "",
            "bind:2 ro-bind:2 dev-bind:2 bind-try:2 ro-bind-try:2 dev-bind-try:2 symlink:2 setenv:2 file:2 bind-data:2 "
            "ro-bind-data:2 chmod:2 unsetenv chdir dev proc tmpfs mqueue dir uid gid hostname args seccomp cap-add cap-drop "
            "lock-file sync-fd info-fd json-status-fd block-fd userns userns2 pidns exec-label file-label perms size remount-ro "
            "argv0 overlay-src tmp-overlay",
        ),
        **_wrap("systemd-run", "pEuMtH", "unit property slice uid gid setenv working-directory description on-active"),
        **_wrap("systemd-inhibit systemd-cat", "tp", "what who why mode identifier priority"),
        **_wrap("systemd-nspawn", "DMupiE", "directory machine image user bind setenv"),
        **_wrap("apptainer singularity", "BHW", "bind home env pwd", 1, verbs="exec"),
        **_wrap("toolbox", "c", "container", verbs="run"),
        **_wrap("distrobox limactl guix", "n", "name", dashed=True, operands=1, verbs="enter,shell,environment"),
        # Watching, tracing, measuring
        **_wrap("strace", "oeEpsuaPISUbO"),
        **_wrap("ltrace", "oenlpsuaADS"),
        **_wrap("valgrind heaptrack uftrace", "o"),
        **_wrap("perf", "eropCFDGItvcmj", "event repeat output cpu freq", verbs="stat,record,trace,mem record,c2c record"),
        **_wrap("rr", verbs="record,"),
        **_wrap("gdb gdb-multiarch cgdb", "x", "ex", starts="args"),
        **_wrap("lldb", "os", "one-line source", dashed=True),
        **_wrap("kcov", "", "", 1),
        **_wrap("bear intercept-build scan-build ccache sccache distcc", "o", "output cdb"),
        **_wrap("hyperfine", "wmMrLiIu", "warmup min-runs max-runs runs export-json", text="p prepare c cleanup s setup", each=True),
        **_wrap("watch", "n", "interval"),
        **_wrap("watchexec", "ewifdso", "exts watch ignore filter"),
        **_wrap("entr", ""),
        **_wrap("nodemon", "ewi", "ext watch ignore", starts="-", text="x exec"),
        **_wrap("fd fdfind", "etdEcoSj", "extension type", starts="x exec X exec-batch"),
        # Many, elsewhere
        **_wrap("parallel sem", "jISaNnL", "jobs joblog arg-file delimiter colsep max-args"),
        **_wrap("rush", "j"),
        **_wrap("pee mispipe concurrently", "n", "names", each=True),
        **_wrap("apply", "a"),
        **_wrap("ansible", "micfukletM", starts="-", text="a args"),
        **_wrap("mpirun mpiexec srun", "ncNptG", "np host hosts hostfile ntasks nodes"),
        **_wrap("proxychains proxychains4", "f"),
        # Terminals
        **_wrap("dbus-run-session dbus-launch", "", "config-file dbus-daemon"),
        **_wrap("xvfb-run", "nsefpw", "server-num server-args error-file auth-file xauth-protocol wait"),
        **_wrap("xterm konsole alacritty x-terminal-emulator urxvt", "T", "title geometry", starts="e command"),
        **_wrap("gnome-terminal xfce4-terminal", "", "title", dashed=True, starts="x", text="e command"),
        **_wrap("kitty foot wezterm zellij", "", "title", verbs="run,start,"),
        **_wrap("dtach abduco", "nAcaer"),
        **_wrap("asciinema", "ti", "title", verbs="rec", text="c command", starts="-"),
        **_wrap("ttyrec", "", text="e", starts="-"),
        # Environments of languages and projects
        **_wrap("conda mamba micromamba", "np", "name prefix cwd", verbs="run"),
        **_wrap("uv", "pPe", "with with-editable with-requirements python env-file package project directory extra group index-url", verbs="run,tool run"),
        **_wrap("uvx", "p", "from with python index-url"),
        **_wrap("pipx", "", "spec python index-url", verbs="run"),
        **_wrap("poetry pipenv pdm hatch rye pixi", "pPeC", "project directory env manifest-path environment", verbs="run,exec,x"),
        **_wrap("npx bunx", "pw", "package workspace", text="c call"),
        **_wrap("npm pnpm yarn bun", "pwC", "package workspace dir filter", verbs="exec,x,dlx", text="c call"),
        **_wrap("bundle carton composer rbenv pyenv nodenv jenv goenv plenv asdf opam stack cabal rvm", "", "", verbs="exec"),
        **_wrap("mise rtx", "C", "cd", verbs="exec,x", dashed=True, text="c command"),
        **_wrap("fnm volta", "", "using node npm yarn", verbs="exec,run"),
        **_wrap("rustup nvm n", "", "", 1, verbs="run,exec"),
        **_wrap("direnv", "", "", 1, verbs="exec"),
        **_wrap("nix", "fI", "file", verbs="develop,shell", starts="c command"),
        **_wrap("meson", "C", verbs="devenv"),
        **_wrap("tox", "e", verbs="exec", dashed=True),
        **_wrap("libtool", verbs="execute,"),
        **_wrap("dotenv dotenvx doppler", "fepc", "file env project config env-file", verbs="run,"),
        **_wrap("op", "", "env-file account", verbs="run"),
        **_wrap("aws-vault chamber", "", "", 1, verbs="exec", dashed=True),
        **_wrap("cross-env cross-env-shell pkgx wsl lima"),
        **_wrap("just", "fd", "justfile working-directory", starts="command"),
        **_wrap("env-cmd", "fe", "file environments"),
        **_wrap("git", "Cc", "git-dir work-tree", verbs="bisect run,submodule foreach"),
        **_wrap("git:rebase", starts="-", text="x exec"),
        **_wrap("git:difftool", "tx", "tool", starts="-", text="x extcmd"),
        **_wrap("git:grep", "efABCmO", starts="-", text="O open-files-in-pager"),
        **_wrap("rsync", "efTBM", "rsh exclude include exclude-from files-from", starts="-", text="rsync-path"),
        **_wrap("git:filter-branch", starts="-", text="setup env-filter tree-filter index-filter msg-filter commit-filter"),
        **_wrap("go:test", starts="-", text="exec toolexec"),
        **_wrap("cargo-watch", "wix", "watch ignore exec", starts="-", text="s shell"),
        **_wrap("qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-x86_64-static qemu-aarch64-static", "LEcgRs"),
        # Programs that run the text of an option
        **_wrap("script", "EImoOTB", starts="-", text="c command"),
        **_wrap("nix-shell", "pAI", starts="-", text="run command"),
        **_wrap("split", "abClntu", starts="-", text="filter"),
        **_wrap("man", "CRLmMHTEpr", starts="-", text="P pager"),
        **_wrap("pwsh elvish nu xonsh", "", starts="-", text="c Command"),
    }
)  # fmt: skip
"""Name, or name and verb with a colon between, → how it is read. A start that no option is named by (`-`) means that only
texts are run."""
