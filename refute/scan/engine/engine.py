"""Acts on effects: has them judged, and reads on where one runs a command, a text or a file; Python text to a walk."""

import ast
import fnmatch
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from refute.python_syntax import parse_python
from refute.scan.core import effects as e
from refute.scan.core import paths
from refute.scan.core import symbols as sym
from refute.scan.core.report import Report, Spot
from refute.scan.core.symbols import name_symbols, show
from refute.scan.python import state as python
from refute.scan.python.walk import PythonWalker
from refute.scan.rules import Language
from refute.scan.shell import state as shell
from refute.scan.shell.scope import Scope
from refute.scan.shell.walk import MAX_DEPTH, ShellWalker


def spots_of(source: str) -> Callable[[ast.AST], Spot]:
    """Says where a node of a file stands in it."""
    lines = source.encode().split(b"\n")

    def spot(node: ast.AST) -> Spot:
        line = getattr(node, "lineno", 1)
        whole = lines[line - 1] if line <= len(lines) else b""
        column = getattr(node, "col_offset", 0)
        end = getattr(node, "end_col_offset", column) if getattr(node, "end_lineno", line) == line else None
        return Spot(line=line, column=column + 1, text=whole[column:end].decode("utf-8", "replace"))

    return spot


def walk_python(walker: PythonWalker, source: str) -> None:
    """Judge Python text; a walker below the first takes text that is not in a file of its own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(name_symbols(source) if walker.depth else source)
    except (SyntaxError, ValueError) as error:
        told = f"Python syntax: {show(str(error), 80)}"
        if walker.depth:
            # What does not parse cannot run either; only another Python's grammar could still read it.
            walker.report.add("dynamic-code", walker.spot(ast.Pass()), told, mild=True)
            return
        at = Spot(line=getattr(error, "lineno", None) or 1, column=getattr(error, "offset", None) or 1, text="")
        walker.report.add("unanalysable", at, told, detail=f"{error}.")
        return
    walker.module(tree)


_NOT_KNOWN: Final = re.compile(f"[{sym.UNKNOWN}{sym.OUTPUT}{sym.NAME}{sym.HOST_DATA}\\s;()]*")
_PLACES: Final = "\ue000\ue001\ue002\ue003\ue00e"
Frame = shell.Call | python.Call


class Engine:
    """Acts on the effects of one file."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def perform(self, effects: e.Effects, frame: Any) -> Any:
        """Act on what a handler yields.

        Args:
            effects: one by one; each is answered by what comes of it.
            frame: whose effects they are.

        Returns:
            The handler's result: for a command what it prints, sym.UNKNOWN where that is not known.
        """
        try:
            effect = next(effects)
            while True:
                effect = effects.send(self._act(effect, frame))
        except StopIteration as end:
            return sym.UNKNOWN if end.value is None and isinstance(frame, shell.Call) else end.value

    def _act(self, effect: e.Effect, frame: Frame) -> str:
        act: Any = getattr(self, f"_{type(effect).__name__.lower()}", None)
        found: str = act(effect, frame) if act is not None else frame.judge.effect(effect)
        return found

    def _reach(self, effect: e.Reach, frame: Frame) -> str:
        path = paths.normalise(effect.path, frame.judge.cwd).lstrip(_PLACES).lstrip("/")
        self.report.reached.append((path, effect.how))
        return ""

    def _read(self, effect: e.Read, frame: Frame) -> str:
        judge = frame.judge
        if isinstance(frame, shell.Call) and (fed := frame.fed(effect.path)) is not None:
            return fed or sym.UNKNOWN
        symbol = judge.effect(effect)
        target = paths.locate(effect.path, judge.cwd)
        held = self.report.written.get(target.text)
        if held is not None:
            return held
        if target.place == paths.Place.WORKSPACE and not sym.is_open(target.text):
            return self.report.content_of(sym.as_pattern(target.text[2:]))
        return symbol or sym.UNKNOWN

    def _write(self, effect: e.Write, frame: Frame) -> str:
        judge = frame.judge
        judge.effect(effect)
        located = paths.locate(effect.path, judge.cwd).text
        if effect.text is not None:
            before = self.report.written.get(located, "") if effect.appends else ""
            self.report.written[located] = (before + effect.text)[: sym.MAX_TEXT]
        return ""

    def _run(self, effect: e.Run, frame: shell.Call) -> str:
        self.report.spend(len(effect.argv))
        call = replace(frame, argv=list(effect.argv), stdin=effect.stdin, shown="")
        return frame.walker.command(call) if effect.argv else ""

    def _eval(self, effect: e.Eval, frame: Frame) -> str:
        """Read a text that an interpreter gets; where it comes from may settle it."""
        text, judge = effect.text, frame.judge
        if sym.DOWNLOAD in text or sym.DERIVED in text:
            judge.flag("pipe-to-shell", detail="It is downloaded." if sym.DOWNLOAD in text else "It is decoded.")
        elif text.strip() and _NOT_KNOWN.fullmatch(text):
            self._unresolved(effect, frame)
        elif isinstance(frame, python.Call) and frame.walker.depth >= MAX_DEPTH // 2:
            judge.flag("unanalysable", detail="It nests too deeply.")
        elif effect.language == Language.PYTHON:
            self._python_text(text, frame)
        elif isinstance(frame, shell.Call):
            scope = frame.walker.scope
            with scope.given(scope.arguments if effect.arguments is None else list(effect.arguments)):
                return frame.walker.embedded(text, frame.node, forked=not effect.inline)
        else:
            return self._shell_text(text, frame)
        return sym.UNKNOWN

    def _unresolved(self, effect: e.Eval, frame: Frame) -> None:
        """A text of which nothing is known before the run."""
        outside = sym.UNKNOWN in effect.text
        if isinstance(frame, python.Call):
            rule = "dynamic-code" if effect.language == Language.PYTHON else "unresolved-command"
            detail = "Runs a file from outside the workspace." if sym.HOST_DATA in effect.text else ""
            frame.judge.flag(rule, mild=not (outside or detail), detail=detail)
        elif effect.fed and outside:
            frame.judge.flag("pipe-to-shell")
        else:
            # What a program of this machine prints is how tools set variables; what a caller hands in is a command.
            strong = (outside or sym.NAME in effect.text) and not (effect.inline and frame.walker.shared.uncalled)
            frame.judge.flag("unresolved-command", mild=not strong)

    def _shell_text(self, text: str, frame: python.Call) -> str:
        """Shell text that a Python call runs."""
        walker, keywords = frame.walker, frame.keywords
        cwd, environment = keywords.get("cwd"), keywords.get("env")
        given = {**walker.variables, **(environment if isinstance(environment, dict) else {})}
        variables: dict[str, tuple[str, ...]] = {
            name: (value,) for name, value in given.items() if isinstance(name, str) and isinstance(value, str)
        }
        located = paths.locate(cwd, walker.cwd).text if isinstance(cwd, str) else walker.cwd
        scope = Scope(script=self.report.path, cwd=located, variables=variables)
        inner = ShellWalker(shell.Shared(self), scope, depth=walker.depth + 1, place=walker.spot(frame.node))
        return inner.script(text)

    def _python_text(self, text: str, frame: Frame) -> None:
        judge = frame.judge
        if isinstance(frame, shell.Call):
            place = frame.walker.place_of(text, frame.node)
            walker = PythonWalker(self, lambda node: place.below(getattr(node, "lineno", 1) - 1), cwd=judge.cwd)
            walker.depth = frame.walker.depth + 1
            walk_python(walker, text)
        else:
            outer = frame.walker
            kept = {name: getattr(outer, name) for name in ("cwd", "variables", "stars", "facts")}
            walk_python(PythonWalker(self, lambda _: judge.spot, outer.depth + 1, outer.env.new_child(), **kept), text)

    def _runfile(self, effect: e.RunFile, frame: Frame) -> str:
        """A file that runs: what the script put there is read, one of the workspace is scanned by itself."""
        path, judge = effect.path, frame.judge
        target = paths.locate(path, judge.cwd)
        if isinstance(frame, shell.Call) and (fed := frame.fed(path)) is not None:
            return self._run_fed(effect, fed, frame)
        text = self.report.written.get(target.text)
        if text is not None:
            return self._run_written(effect, text, frame)
        if self._unpacked(target.text):
            judge.flag("package-install", detail="It comes with a directory that is downloaded.")
            return sym.UNKNOWN
        pattern = _in_reach(target)
        if pattern is not None:
            self.report.reached.append((pattern, effect.language or ""))
            if isinstance(frame, shell.Call) and effect.inline:
                self._borrow(pattern, frame)
        elif isinstance(frame, python.Call):
            mild = paths.inside_or_temporary(target)
            judge.flag("dynamic-code", mild=mild, detail="Runs a file from outside the workspace.")
        elif target.place == paths.Place.TEMP and path.startswith("/") and not effect.inline:
            judge.flag("unresolved-command", mild=True, detail="Runs a temporary file that this script did not write.")
        return sym.UNKNOWN

    def _borrow(self, pattern: str, frame: shell.Call) -> None:
        """Read what files of the workspace define; they are judged by themselves."""
        report = self.report
        for path in fnmatch.filter(report.files, pattern):
            if path not in report.borrowed:
                report.borrowed.add(path)
                found = dict(report.findings)
                frame.walker.embedded(report.content_of(path), frame.node, forked=False)
                report.findings = found

    def _run_fed(self, effect: e.RunFile, text: str, frame: shell.Call) -> str:
        if sym.OUTPUT in text and _NOT_KNOWN.fullmatch(text) and effect.path not in shell.STDIN:
            text = sym.UNKNOWN
        language = effect.language or Language.SHELL
        return self._eval(e.Eval(language, text, effect.inline, effect.arguments or None, fed=True), frame)

    def _run_written(self, effect: e.RunFile, text: str, frame: Frame) -> str:
        if not text.strip(sym.UNKNOWN):
            if effect.inline:
                frame.judge.flag("unresolved-command", mild=True, detail="It reads a file that a program made.")
            return sym.UNKNOWN
        named = effect.language == Language.PYTHON or effect.path.endswith(".py")
        python_file = named or (effect.language is None and re.match(r"#!.*python", text))
        language = Language.PYTHON if python_file else Language.SHELL
        arguments = None if effect.inline and not effect.arguments else effect.arguments
        return self._eval(e.Eval(language, text, effect.inline, arguments), frame)

    def _unpacked(self, path: str) -> bool:
        """Whether it comes with a directory that the script downloaded."""
        parts = path.split("/")
        parents = ("/".join(parts[:length]) for length in range(2, len(parts)))
        return any(self.report.written.get(parent) == sym.DOWNLOAD for parent in parents)


def _in_reach(target: paths.Target) -> str | None:
    """The files of the workspace that a path may name, as a pattern; None where it leads elsewhere or says nothing."""
    if target.place == paths.Place.WORKSPACE:
        return sym.as_pattern(target.text[2:])
    tail = target.text.rpartition("/")[2]
    named = target.place == paths.Place.UNKNOWN and "/" in target.text and not sym.is_open(tail) and tail.strip("*?.")
    return sym.as_pattern(target.text) if named else None
