"""How long a scan takes, in a warm process and from the command line, beside bandit and semgrep."""

import os
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from refute.scan.rules import Language
from refute.scan.scanner import scan_text

ROOT: Final = Path(__file__).resolve().parents[1]
RULES: Final = ROOT / "benchmarks" / "semgrep-rules.yaml"
OURS: Final = (sys.executable, "-m", "flows.cli", "scan")
ROUNDS: Final = 7
"""Of commands on one file."""
BATCH_ROUNDS: Final = 3
LIBRARY: Final = 60
"""Modules of the standard library, drawn so that they are the same each time."""


@dataclass(slots=True)
class Times:
    """Of one command or call, in milliseconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def cells(self, per: int = 1) -> list[str]:
        """Medians of wall and CPU time, each for one of so many files."""
        return [f"{statistics.median(values) / per:.2f}".removesuffix(".00") for values in (self.wall, self.cpu)]


def speed(scripts: dict[Language, list[str]], *, bandit: Path | None, semgrep: Path | None) -> None:
    """Print all tables of times.

    Args:
        scripts: language → texts of the development corpus.
        bandit: its executable; None: left out.
        semgrep: as well.
    """
    print("\n## Speed\n")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load} at the start, Python {platform.python_version()}.\n")
    _warm(scripts)
    _versions(bandit, semgrep)
    with tempfile.TemporaryDirectory() as folder:
        _one_file(Path(folder), scripts[Language.PYTHON][0], bandit, semgrep)
        _batch(Path(folder) / "corpus", "files of the corpus", scripts[Language.PYTHON], bandit, semgrep)
        modules = sorted(Path(os.__file__).parent.glob("*.py"))
        drawn = random.Random(1).sample(modules, LIBRARY)  # noqa: S311 - a sample, no secret
        texts = [path.read_text("utf-8", "replace") for path in drawn]
        _batch(Path(folder) / "library", "modules of the standard library", texts, bandit, semgrep)


def _warm(scripts: dict[Language, list[str]]) -> None:
    print("### Warm: one process, one script after another\n")
    print("| language | scripts | wall, median ms | CPU, median ms | wall, 95th percentile ms |\n|---|---|---|---|---|")
    for language, texts in scripts.items():
        times = Times()
        scan_text("script", b"true\n", language=language)
        for text in texts:
            began, used = time.perf_counter(), time.process_time()
            scan_text("script", text.encode(), language=language)
            times.wall.append((time.perf_counter() - began) * 1000)
            times.cpu.append((time.process_time() - used) * 1000)
        late = statistics.quantiles(times.wall, n=20)[-1]
        print(f"| {language} | {len(texts)} | {' | '.join(times.cells())} | {late:.2f} |")


def _versions(bandit: Path | None, semgrep: Path | None) -> None:
    for name, program in (("bandit", bandit), ("semgrep", semgrep)):
        if program is None:
            print(f"\n{name} was not compared: its executable was not given (`--{name}`).")
            continue
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - as given
        lines = done.stdout.strip().split("\n")
        print(f"\n{lines[0] if name in lines[0] else f'{name} {lines[-1]}'}", end="")
        print("." if name == "bandit" else f", offline, with the rules in `{RULES.relative_to(ROOT)}`.")


def _one_file(folder: Path, text: str, bandit: Path | None, semgrep: Path | None) -> None:
    path = folder / "one.py"
    path.write_text(text, encoding="utf-8")
    print(f"\n### One file, command line, median of {ROUNDS}\n")
    _compare({"python -c pass": (sys.executable, "-c", "pass"), **_commands(path, bandit, semgrep)})


def _batch(folder: Path, what: str, texts: list[str], bandit: Path | None, semgrep: Path | None) -> None:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"s{number}.py").write_text(text, encoding="utf-8", errors="replace")
    print(f"\n### {len(texts)} {what}, one call, median of {BATCH_ROUNDS}\n")
    _compare(_commands(folder, bandit, semgrep), rounds=BATCH_ROUNDS, per=len(texts))


def _commands(path: Path, bandit: Path | None, semgrep: Path | None) -> dict[str, Sequence[str]]:
    """Each tool on the same files; what it finds is thrown away."""
    commands: dict[str, Sequence[str]] = {"refute scan": (*OURS, str(path))}
    if bandit is not None:
        commands["bandit"] = (str(bandit), "-q", "-r", str(path))
    if semgrep is not None:
        quiet = ("--quiet", "--metrics=off", "--disable-version-check", "--no-git-ignore")
        commands["semgrep"] = (str(semgrep), "scan", *quiet, "--config", str(RULES), str(path))
    return commands


def _compare(commands: dict[str, Sequence[str]], *, rounds: int = ROUNDS, per: int = 1) -> None:
    """Run the commands in turn, so that whatever else the machine does hits all of them."""
    times = {name: Times() for name in commands}
    codes: dict[str, int] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            codes[name] = _run(command, times[name])
    ours = times["refute scan"]
    more = " wall per file, ms |" if per > 1 else ""
    print(f"| command | wall, ms | CPU, ms |{more} wall / ours | CPU / ours | exit |")
    print(f"|---|---|---|{'---|' if more else ''}---|---|---|")
    for name, taken in times.items():
        ratios = [
            f"{statistics.median(theirs) / statistics.median(mine):.2f}"
            for theirs, mine in ((taken.wall, ours.wall), (taken.cpu, ours.cpu))
        ]
        each = taken.cells(per)[:1] if more else []
        print(f"| {' | '.join([name, *taken.cells(), *each, *ratios, str(codes[name])])} |")


def _run(command: Sequence[str], times: Times) -> int:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = shutil.which(command[0]) or command[0]
    path = f"{Path(program).parent}:{os.environ['PATH']}"  # semgrep looks for a part of its own there
    done = subprocess.run(  # noqa: S603 - fixed commands
        [program, *command[1:]], cwd=ROOT, capture_output=True, check=False, env={**os.environ, "PATH": path}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.wall.append((time.perf_counter() - began) * 1000)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    times.cpu.append(used * 1000)
    return done.returncode
