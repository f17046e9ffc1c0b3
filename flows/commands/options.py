"""Options that several commands have, told once; those that are a setting's go to `Settings.load` by its name."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from refute.settings import Settings

FILE: Final = click.Path(path_type=Path, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, file_okay=False)
PLACE: Final = click.Path(path_type=Path)
Decorator = Callable[[Any], Any]


class Usd(click.ParamType[Decimal]):
    """An amount of money."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """The amount; a usage error names what is expected."""
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount < 0:
            self.fail(f"got {value!r}, expected an amount in US dollars such as 0.50", param, ctx)
        return amount


class Size(click.ParamType[int]):
    """Bytes from `512m`, `2g`, `1.5GiB` or a plain number."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes; a usage error names what is expected."""
        units = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
        number = str(value).strip().lower().removesuffix("b").removesuffix("i")
        unit = number[-1:] if number[-1:] in units and not number[-1:].isdigit() else ""
        try:
            return int(Decimal(number.removesuffix(unit)) * units[unit])
        except ArithmeticError:
            self.fail(f"got {value!r}, expected a size such as 512m or 2g", param, ctx)


_DAY: Final = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d(-?\d)?")


class Moment(click.ParamType[datetime]):
    """A day or a moment, in UTC unless it names its zone, or an age."""

    name = "moment"

    def __init__(self, *, end_of_day: bool = False) -> None:
        self._end_of_day = end_of_day
        """A day without a time stands for its end, not its beginning."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read ISO 8601, or an age."""
        from refute.batch.selection import moment

        text = str(value).strip()
        try:
            found = moment(text)
            return found + timedelta(days=1) if self._end_of_day and _DAY.fullmatch(text) else found
        except (ValueError, OverflowError):
            expected = "a day (2026-11-22), a moment (2026-11-22T06:00) or an age (90m, 12h, 7d, 2w)"
            self.fail(f"got {value!r}, expected {expected}", param, ctx)


_REPLAY: Final = "Replay answers saved with --record; no model is called."
SETTINGS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "tester": (
        "tester",
        {"metavar": "NAME[,NAME]", "help": "Who attacks: property, gemini, or both.  [property]"},
    ),
    "max_cost_usd": (
        "max-cost",
        {"type": Usd(), "metavar": "USD", "help": "Model budget per ticket, USD.  [0.50]"},
    ),
    "allow_unpriced": ("allow-unpriced", {"help": "Allow models without a known price (cost: unknown)."}),
    "fresh": ("fresh", {"help": "Ignore caches: run every stage and model call again."}),
    "record_dir": ("record", {"type": PLACE, "metavar": "DIR", "help": "Save the model's answers in DIR."}),
    "replay_dir": ("replay", {"type": PLACE, "metavar": "DIR", "help": _REPLAY}),
    "mutants": ("mutants", {"type": int, "help": "Mutants to measure test strength with; 0: none.  [30]"}),
    "strength_floor": (
        "strength-floor",
        {"type": float, "metavar": "S", "help": "Least strength for PASS, 0 to 1.  [0.6]"},
    ),
    "verification_timeout_s": (
        "timeout-verification",
        {"type": float, "metavar": "S", "help": "Time limit of the verification script, in s.  [300]"},
    ),
    "attack_timeout_s": (
        "timeout-adversarial",
        {"type": float, "metavar": "S", "help": "Time limit of the whole attack, in s.  [600]"},
    ),
    "memory_bytes": ("memory", {"type": Size(), "metavar": "SIZE", "help": "Memory limit, e.g. 512m or 2g.  [2g]"}),
    "cpus": ("cpus", {"type": float, "help": "CPU limit.  [2]"}),
    "runtime": ("runtime", {"metavar": "NAME", "help": "Container runtime, e.g. runsc.  [the engine's default]"}),
    "batch_containers": ("parallel", {"type": click.IntRange(1, 256), "help": "Containers at once.  [default: cores]"}),
    "scan_allow_file": (
        "scan-allow-file",
        {"type": FILE, "metavar": "FILE", "help": "Reviewed allow-file: scan findings that must not block."},
    ),
}
"""Setting → its option, and what click is told of it; one without a value is a flag, a number's is N."""
YES: Final = click.option(
    "--yes", "--auto-confirm", "yes", is_flag=True, help="Approve in advance every script that scans clean."
)


def setting_options(*names: str, **more: Any) -> Decorator:
    """The options of some settings, in this order; `more` is told to click in the place of what the table says."""
    return in_order(*(_option(name, more) for name in names))


def results(*forms: str, to_file: bool = True) -> Decorator:
    """`--format`, the first being the default, and `--output`."""
    form = click.option("--format", "form", type=click.Choice(forms), default=forms[0], show_default=True)
    output = click.option("--output", type=PLACE, metavar="FILE", help="Write to FILE instead of stdout.")
    return in_order(form, output) if to_file else form


def load_settings(options: dict[str, Any], **more: Any) -> "Settings":
    """The settings with a call's options on top, which are taken out of `options`.

    Args:
        options: as click gives them.
        more: what the command itself sets.

    Raises:
        click.BadParameter: the folder of recorded answers is missing, which would show only after the script has run.
        SettingsInvalid: a value is none.
    """
    from refute.settings import Settings

    given = {name: options.pop(name) for name in SETTINGS if name in options}
    replay: Path | None = given.get("replay_dir")
    if replay is not None:  # recorded answers stand in for the model
        if not replay.is_dir():
            message = f"got {replay}, expected a folder of recorded answers; `--record DIR` makes one"
            raise click.BadParameter(message, param_hint="--replay")
        named = [name.strip() for name in (given["tester"] or "replay").split(",")]
        given["tester"] = ",".join("replay" if name == "gemini" else name for name in named)
    return Settings.load(**given, **more)


def _option(name: str, more: Mapping[str, Any]) -> Decorator:
    flag, told = SETTINGS[name]
    kind = {} if "metavar" in told else {"metavar": "N"} if "type" in told else {"is_flag": True, "default": None}
    return click.option(f"--{flag}", name, **{**kind, **told, **more})


def in_order(*options: Decorator) -> Decorator:
    """A decorator of several, so that help lists them in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add
