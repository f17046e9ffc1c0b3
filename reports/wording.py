"""The words and marks with which every report speaks of statuses, verdicts, time and money."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from refute.caching.wording import age_in_words
from refute.guardrails.plain_text import on_one_line, printable
from refute.outcome import ClaimVerdict, ModelUse, Outcome, Provenance, Status, TestFailure
from refute.wording import counted, dollars

_SESSION: Final = re.compile(r"^\s*(?:>>>|\$) ", re.MULTILINE)
"""How what a claim shows begins: a session of Python, or a transcript of a shell."""
MEANING: Final[Mapping[Status, str]] = {
    Status.PASS: "Every claim survived an attack that would have noticed most small faults.",
    Status.PASS_WEAK: "No claim was refuted, but the attack was too weak to rely on.",
    Status.FAILED_IMPORT: "The code does not import.",
    Status.FAILED_VERIFICATION: "The author's own verification script failed.",
    Status.FAILED_RESOURCES: "The verification ran into a resource limit.",
    Status.FAILED_ADVERSARIAL: "The code does not do what it claims.",
    Status.FAILED_REVIEW: "A reviewer found a fault, and it was confirmed.",
    Status.FAILED_TIMEOUT: "A time limit was reached.",
    Status.INCONCLUSIVE: "No verdict: a person has to look.",
    Status.BLOCKED_DANGEROUS_SCRIPT: "Nothing was run: the verification script is dangerous.",
    Status.BLOCKED_DANGEROUS_OPERATION: "The run destroyed files outside its workspace copy, inside the container.",
    Status.CANCELLED: "Not approved, or stopped before a verdict.",
    Status.SKIPPED_BUDGET: "Not attacked: the budget does not allow it.",
    Status.SKIPPED: "Not attacked: the policy does not ask for it.",
    Status.DRY_RUN: "Nothing was run: this was a dry run.",
    Status.PENDING: "Not finished yet; it can be resumed.",
    Status.ERROR: "Infrastructure failure; no verdict on the code.",
}
"""Each status in plain words."""

CLAIM_WORDS: Final[Mapping[ClaimVerdict, str]] = {
    ClaimVerdict.REFUTED: "REFUTED",
    ClaimVerdict.SURVIVED: "survived",
    ClaimVerdict.SURVIVED_IN_PART: "survived in part",
    ClaimVerdict.UNTESTED: "untested",
    ClaimVerdict.INCONCLUSIVE: "undecided",
}


def mark(status: Status) -> str:
    """One character that says without colour how a ticket ended."""
    match status:
        case Status.PASS:
            return "✓"
        case Status.PASS_WEAK:
            return "~"
        case Status.SKIPPED | Status.DRY_RUN | Status.PENDING | Status.CANCELLED | Status.SKIPPED_BUDGET:
            return "-"
        case Status.INCONCLUSIVE | Status.ERROR:
            return "?"
        case _:
            return "✗"


def duration(seconds: float) -> str:
    """`0.3 s`, `12.4 s`, `3 min 05 s`."""
    if round(seconds, 1) < 60:  # noqa: PLR2004  # seconds in a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def money(usd: Decimal | None) -> str:
    """US dollars; an unknown price is told."""
    return "cost unknown" if usd is None else dollars(usd)


def provenance_line(provenance: Provenance) -> str:
    """What exactly ran, digests cut to twelve characters; empty where no container was used."""
    digests = {
        "snapshot": provenance.snapshot_digest,
        "image": provenance.image_id,
        "profile": provenance.profile_digest,
    }
    parts = [f"{name} {value.removeprefix('sha256:')[:12]}" for name, value in digests.items() if value]
    parts += [value for value in (provenance.engine, provenance.runtime) if value]
    parts += [f"network to {', '.join(provenance.allowed_hosts)}"] if provenance.allowed_hosts else []
    parts += [f"models answered by {', '.join(provenance.local_servers)}"] if provenance.local_servers else []
    parts += [f"with {', '.join(provenance.requirements)}"] if provenance.requirements else []
    return " · ".join([f"refute {provenance.refute_version}", *parts])


def run_line(outcome: Outcome) -> str:
    """What the run took and cost, and who attacked, on one line."""
    sandbox_s = sum(stage.sandbox_s for stage in outcome.stages)
    contained = f" ({duration(sandbox_s)} in containers)" if sandbox_s else ""
    facts = [f"{duration(outcome.duration_s)}{contained}", money(outcome.cost_usd), *model_lines(outcome.models)]
    facts.append(kept_note(outcome))
    return " · ".join([*filter(None, facts), f"tester {outcome.provenance.tester}"])


def model_lines(models: Iterable[ModelUse]) -> list[str]:
    """What each model was asked and answered: `gemini-x: 4 calls, 1,565 tokens in, 747 out`."""
    return [_model_line(use) for use in models]


def _model_line(use: ModelUse) -> str:
    tokens = f"{use.input_tokens:,} tokens in, {use.output_tokens + use.thinking_tokens:,} out"
    asked = [f"{counted(use.calls, 'call')}, {tokens}"] if use.calls else []
    asked += [f"{counted(use.cached_answers, 'cached answer')}"] if use.cached_answers else []
    where = f" (local server {use.local_server})" if use.local_server else ""
    return printable(f"{use.model}{where}: {', '.join(asked)}", max_chars=200, keep_newlines=False)


def kept_note(outcome: Outcome) -> str:
    """That stages rest on earlier runs, and how old these are; empty where all was run."""
    ages = [stage.kept.age_s for stage in outcome.stages if stage.kept]
    ran = any(stage.sandbox_s and not stage.kept for stage in outcome.stages)
    anew = ran or any(use.calls for use in outcome.models)
    return f"{'partly ' if anew else ''}reused results from {age_in_words(max(ages))} ago" if ages else ""


def why(outcome: Outcome, *, max_chars: int = 400) -> str:
    """Why it ended so, on one line: the first counterexample in short, else the reason."""
    if not outcome.failures:
        return printable(on_one_line(outcome.reason), max_chars=max_chars, keep_newlines=False)
    first = outcome.failures[0]
    more = f" (and {counted(len(outcome.failures) - 1, 'more refutation')})" if len(outcome.failures) > 1 else ""
    return f"{first.claim_violated} refuted: {counterexample(first)}{more}"


def in_brief(claim_text: str) -> str:
    """A claim on one line, without the session or transcript that it may show."""
    said, *shown = _SESSION.split(claim_text, maxsplit=1)
    return f"{on_one_line(said)} …" if shown and said.strip() else on_one_line(claim_text)


def counterexample(failure: TestFailure) -> str:
    """What was tried, and what came of it, on one line."""
    # An example has no input of its own: then the claim says what was tried.
    given = failure.smallest_input.replace("\n", ", ") or in_brief(failure.claim_text)
    said = next(iter(failure.error_message.splitlines()), "")  # the first line says it, the rest is pytest's diff
    error = f"{failure.error_type}: {said}" if said else failure.error_type
    return " → ".join(
        printable(text, max_chars=most, keep_newlines=False) for text, most in ((given, 80), (error, 120))
    )


def spent(known_usd: Decimal, unknown: int) -> str:
    """What several runs cost together; where the cost of some is unknown, they are counted beside it."""
    return money(known_usd) + (f" and {counted(unknown, 'ticket')} of unknown cost" if unknown else "")
