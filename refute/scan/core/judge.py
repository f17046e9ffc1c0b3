"""The one place where an effect becomes a finding: how bad it is, by what it touches and where that comes from."""

import re
from dataclasses import dataclass
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts, paths
from refute.scan.core.paths import Place, Target
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import DERIVED, EMPTY, HOME, HOST_DATA, SECRET, show

_ONE_FILE: Final = re.compile(
    rf"(?={HOME}/\.|/(?:etc|opt|run|usr|var)/|.*\.(?:pid|lock|sock)\Z)(?!.*/[*?]*\Z)[^*]*\*?[^*]*\Z"
)
"""A path that names a file which a program may well delete as its own."""
_DOORS: Final = re.compile(r"/(?:\.bashrc|\.profile|\.ssh/.*|authorized_keys|(?:site|user)customize\.py|[^/]+\.pth)\Z")


@dataclass(slots=True)
class Judge:
    """Judges what one command does; each method takes one kind of effect and may report it."""

    report: Report
    spot: Spot
    command: str
    """The command or call as understood."""
    cwd: str
    soft: bool = False
    """Whether what is unresolved is ordinary: a function's parameter rather than a script's variable."""

    def flag(self, rule_id: str, **form: Any) -> None:
        """Report a finding."""
        self.report.add(rule_id, self.spot, self.command, **form)

    def effect(self, effect: e.Effect) -> str:
        """Judge an effect; returns the symbol for what it yields, empty for ordinary data."""
        found: str | None = getattr(self, f"_{type(effect).__name__.lower()}")(effect)
        return found or ""

    def _read(self, effect: e.Read) -> str:
        target = paths.locate(effect.path.removeprefix(EMPTY), self.cwd)
        text = target.text
        if paths.is_place("credentials", text):
            self.flag("read-credentials", detail=_named(target))
            return SECRET
        if text.endswith("/docker.sock"):
            self.flag("container-escape", detail=_named(target))
        elif target.place == Place.SYSTEM:
            vague = paths.has_open_part(target) or not paths.is_place("telling", text)
            self.flag("read-host-file", mild=effect.asks or vague, detail=_named(target))
        elif target.place == Place.HOME and paths.is_place("persistence", text):
            self.flag("read-host-file", detail=_named(target))
        return HOST_DATA if target.place in {Place.SYSTEM, Place.HOME} else ""

    def _list(self, effect: e.List) -> None:
        target = paths.locate(effect.path.removeprefix(EMPTY), self.cwd)
        home = target.place == Place.HOME
        if paths.is_place("credentials", target.text):  # names are no secrets
            self.flag("read-host-file", detail=_named(target))
        elif target.place == Place.SYSTEM or (home and target.text.strip("*/") == HOME):
            stock = home or paths.is_stock(target.text)
            weak = effect.asks or not stock or paths.has_open_part(target)
            self.flag("read-host-file", mild=weak, detail=_named(target))

    def _write(self, effect: e.Write) -> None:
        target = paths.locate(effect.path, self.cwd)
        if paths.inside_or_temporary(target) or target.place == Place.TEMP_ROOT:
            if ".git/hooks/" in target.text or target.text.endswith("/.git/config"):
                self.flag("persistence", detail=_named(target))
        elif target.text.startswith("/dev/"):
            self.flag("device-write", detail=_named(target))
        elif paths.opens_door(target.text):
            self.flag("persistence", detail=_named(target))
        elif target.place == Place.UNKNOWN:
            self._write_unknown(target)
        else:
            text = f"{target.text}/x" if effect.path.endswith("/") else target.text
            weak = paths.is_own(target.text) or paths.is_own(text) or target.place == Place.OUTSIDE
            weak = weak and DERIVED not in target.text
            self.flag("write-outside", mild=weak, detail=_named(target))

    def _write_unknown(self, target: Target) -> None:
        tail = target.text.lstrip("".join(paths.FUZZY))
        if DERIVED in target.text:
            self.flag("write-outside", detail=_named(target))
        elif paths.is_place("persistence", tail) or re.search(_DOORS, tail):
            self.flag("persistence", detail=_named(target))

    def _delete(self, effect: e.Delete) -> None:
        target = paths.locate(effect.path, self.cwd)
        if paths.inside_or_temporary(target):
            return
        if effect.empty:
            self.flag("delete-outside", mild=True, detail="Only where the directory is empty.")
        elif target.text.startswith("/dev/"):
            self.flag("device-write", detail=_named(target))
        elif target.place == Place.UNKNOWN:
            self._delete_unknown(target, effect)
        else:
            one_file = not effect.recursive and _ONE_FILE.match(target.text) and paths.is_own(target.text)
            whole = effect.recursive and paths.is_place("roots", target.text.rstrip("/*") or "/")
            weak = bool(one_file) or paths.is_place("spare", target.text)
            self.flag("delete-outside", mild=weak, refuse=whole and not weak, detail=_named(target))

    def _delete_unknown(self, target: Target, effect: e.Delete) -> None:
        tail = target.text.removeprefix(EMPTY) or "/"
        # `rm -rf "$prefix/"` with a prefix that may be empty.
        empty = target.text.startswith(EMPTY) and (paths.is_stock(tail) or paths.is_place("credentials", tail))
        # `rm -rf "$x/build"` names what it deletes; `rm -rf "$x"` or "$x/*" may be everything.
        named = re.search(r"[\w.-]{3,}", "".join(char for char in target.text if char not in paths.FUZZY))
        usual = self.soft and not target.text.endswith("*")
        weak = not effect.recursive or named is not None or usual
        self.flag("delete-outside", mild=weak and not empty and DERIVED not in target.text, detail=_named(target))

    def _changemode(self, effect: e.ChangeMode) -> None:
        tail = effect.path.removeprefix(EMPTY)
        target = paths.locate(tail if paths.is_stock(tail) else effect.path, self.cwd)
        if target.place in paths.ELSEWHERE | {Place.TEMP_ROOT}:
            weak = paths.is_own(target.text) or (effect.tightens and not paths.is_place("credentials", target.text))
            self.flag("privilege", mild=weak, detail=_named(target))

    def _send(self, effect: e.Send) -> None:
        for text in effect.texts:
            if SECRET in text:
                self.flag("environment-dump", detail="Sends them over the network.")
            if HOST_DATA in text:
                self.flag("read-host-file", refuse=True, detail="Sends it over the network.")

    def _connect(self, effect: e.Connect) -> None:
        if effect.host is None:
            return
        match hosts.reach_of(effect.host):
            case hosts.Reach.EXTERNAL:
                public = effect.fetches and hosts.is_listed(effect.host, self.report.knowledge.public)
                self.flag("network-external", mild=public, detail=f"Host: {show(effect.host, 80)}.")
            case hosts.Reach.METADATA:
                self.flag("read-credentials")
            case hosts.Reach.UNKNOWN:
                self.flag("network-external", mild=self.soft, detail="The host is only known at run time.")
            case hosts.Reach.LOCAL:
                detail = f"Host: {show(effect.host, 80)}, on this machine or its private network."
                self.flag("network-external", mild=True, detail=detail)

    def _flag(self, effect: e.Flag) -> None:
        self.flag(effect.rule, mild=effect.mild, detail=effect.detail)


def _named(target: Target) -> str:
    return f"Path: {show(target.text, 80)}."
