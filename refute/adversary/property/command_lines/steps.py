"""Runs of programs as lines of a test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from refute.adversary.attack import Category, Origin
from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.draft import Draft, quote_of
from refute.ticket.record import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run with what must hold of it."""

    command: Command
    checks: tuple[str, ...] = ()
    """Conditions on `done`, as expressions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What happens to files between runs, or is checked of them, as lines of Python; `folder` is where."""

    lines: tuple[str, ...]
    checks: bool = False


Step = Run | Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a piece of text says."""

    steps: tuple[Step, ...]
    quote: str
    origin: Origin
    label: str
    detail: str

    @property
    def checks(self) -> bool:
        """Whether anything can fail."""
        return any(step.checks for step in self.steps)

    def quoting(self, quote: str) -> "Told":
        """The same, quoting other words."""
        return replace(self, quote=quote)


def invocation(command: Command, *, given: str | None = None) -> str:
    """The expression that runs a command.

    Args:
        command: to run.
        given: an expression for standard input, instead of the command's own.
    """
    words = ", ".join([*command.launch, *map(repr, command.arguments)])
    text = given if given is not None else command.inputs[0] if command.inputs else "''"
    streams = "stdout=subprocess.PIPE, stderr=subprocess.STDOUT" if command.merged else "capture_output=True"
    settings = "".join(f", {name}={value!r}" for name, value in dict(command.environment).items())
    return f"subprocess.run([{words}], input={text}, {streams}, **settings_in(folder{settings}))"


def lines_of_step(step: Step) -> list[str]:
    """The step as lines inside the block in which `folder` is known."""
    if isinstance(step, Prepared):
        return list(step.lines)
    command, checks = step.command, step.checks
    if len(command.inputs) > 1 and checks:  # shells differ on what is fed: one reading must hold
        run = invocation(command, given="given")
        condition = " and ".join(f"({check})" for check in checks)
        return [
            f"ends = [{run} for given in ({', '.join(command.inputs)})]",
            f"assert any({condition} for done in ends), what_it_did(ends[0], folder)",
        ]
    written = [f"pathlib.Path(folder, {command.output_file!r}).write_text(done.stdout)"] if command.output_file else []
    return [
        f"done = {invocation(command)}",
        *written,
        *(f"assert {check}, what_it_did(done, folder)" for check in checks),
    ]


def body_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """The steps as the body of a test, in a copy of the workspace."""
    inner = [f"    {line}" for step in steps for line in lines_of_step(step)]
    return ("with copied_workspace() as folder:", *inner)


def draft_of(claim: Claim, said: Told) -> Draft:
    """The test for what a text says."""
    return Draft(
        claim=claim,
        quote=said.quote if said.quote in claim.text else quote_of(claim, said.quote),
        category=_category(said),
        origin=said.origin,
        label=said.label,
        detail=_detail(said),
        body=body_of(said.steps),
    )


def _detail(said: Told) -> str:
    """What the test does; names the program's file where Python knows it by another name."""
    by_name = [step.command for step in said.steps if isinstance(step, Run) and "'-m'" in step.command.launch]
    return f"runs {by_name[0].program.path}\n{said.detail}" if by_name else said.detail


def _category(said: Told) -> Category:
    runs = [step for step in said.steps if isinstance(step, Run)]
    checks = " ".join(check for run in runs for check in run.checks)
    if "returncode !=" in checks or any(f"returncode == {code}" in checks for code in range(1, 10)):
        return Category.FAILURE_MODE
    if len(said.steps) > 1:
        return Category.INTEGRATION
    empty = any("" in (*run.command.arguments, *run.command.texts) for run in runs)
    odd = any(not word.isascii() or " " in word for run in runs for word in run.command.arguments)
    return Category.EDGE if empty or odd else Category.SMOKE
