"""The critics of a ticket: each asked alone, its evidence looked up, its counterexamples run like any attack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.prompting import tier_of
from refute.caching.kind import VERIFICATION
from refute.critics.answer import Counterexample, ReadReview, read_remedy, read_review
from refute.critics.counterexamples import PASSES, Key, gather, stand
from refute.critics.focus import BlockOn, Focus, focuses_of
from refute.critics.judging import Judgement, judge
from refute.critics.material import missing_evidence, promises_of
from refute.critics.prompting import alternating, critic_id, remedy_prompt, review_prompt
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Standing
from refute.critics.text_critic import read_text
from refute.critics.tools import RULES, read_tools, run_tools, tool_requirements, tools_job
from refute.errors import BudgetExhausted, ModelUnavailable, RequirementsUnavailable
from refute.guardrails.audit import Decision, Gate
from refute.llm.model import Completion, Prompt, Tier
from refute.llm.pricing import total
from refute.outcome import Status
from refute.ports import Ports
from refute.settings_fields import TesterName
from refute.stages.brief import brief_of
from refute.stages.evidence import Critique, Evidence, Hardening, SecondRun, Triage
from refute.stages.second_environment import rerun_elsewhere, survivors
from refute.stages.trial import reach_verdict, run_attack, screen_tests, triage_tests
from refute.stages.usage import added, models_used
from refute.ticket.record import Snapshot, Ticket

STAGE: Final = "critics"
TOOLS: Final = replace(VERIFICATION, name="static critics")
TRIES: Final = 3
"""Answers that are asked for until one can be read."""


def review_change(ports: Ports, ticket: Ticket, snapshot: Snapshot, hardened: Hardening, again: SecondRun) -> Critique:
    """Have the critics of a ticket look at its change, unless the attack has decided it already.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    if is_decided(ports, hardened, again) and not ports.settings.critics.always:
        return Critique(reviews=(), judgement=Judgement(status=None))
    return criticise(ports, ticket, snapshot, focuses_of(ticket, ports.settings.critics))


def is_decided(ports: Ports, hardened: Hardening, again: SecondRun) -> bool:
    """Whether the attack has failed a ticket, so that nothing that critics say could change that."""
    return reach_verdict(ports, hardened, again).status not in {Status.PASS, Status.PASS_WEAK, Status.INCONCLUSIVE}


def criticise(  # what, by whom, and which round
    ports: Ports,
    ticket: Ticket,
    snapshot: Snapshot,
    focuses: Sequence[Focus],
    *,
    remediation: bool = True,
    earlier: Critique | None = None,
) -> Critique:
    """Have critics look at a ticket's change.

    Without a model only the text is read, which decides nothing.

    Args:
        ports: effects and settings.
        ticket: with claims, criteria and task.
        snapshot: its files.
        focuses: the critics to ask.
        remediation: whether a remedy is asked for what is confirmed, in a call of its own.
        earlier: the round before, of which these files are a rework: what its tests showed is looked for once more.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    if all(name is TesterName.PROPERTY for name in ports.settings.testers):
        critique = _without_model(ports, ticket, snapshot, focuses)
    else:
        critique = _by_model(ports, ticket, snapshot, focuses, earlier)
    if remediation:
        critique = _remedied(ports, brief_of(ports, ticket, snapshot), critique)
    ports.audit.record(
        Gate.REVIEW,
        Decision.DENY if critique.judgement.status else Decision.ALLOW,
        run_id=ports.run_id,
        reason=critique.judgement.reason or "no finding blocks the ticket",
        metadata={"ticket": ticket.id, "snapshot": snapshot.digest, "critics": critique.summary},
    )
    return critique


def _by_model(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, focuses: Sequence[Focus], earlier: Critique | None
) -> Critique:
    """What the critics say, and what their tests show."""
    brief, settings = brief_of(ports, ticket, snapshot), ports.settings.critics
    proven = earlier.proven if earlier else ()
    number = 1 + max((one.round for one in earlier.reviews), default=1) if earlier else 1
    script = ports.contents(snapshot)[ticket.verification_script].decode("utf-8", "replace")
    tier, count = tier_of(ticket.labels), len(focuses)
    tiers = alternating(tier, count) if settings.alternate_models else (tier,) * count
    asking = [_Asking(ports, brief, focus, script, one) for focus, one in zip(focuses, tiers, strict=True)]
    asked = [ports.stages.run(STAGE, one.review) for one in asking]
    files = ports.contents(snapshot)
    tried = _tried(ports, ticket, snapshot, [answer.located(files).carrying(proven) for answer in asked])
    reviews = tuple(replace(one, round=number) for one in tried.reviews)
    judgement = judge(reviews, block_on=settings.block_on, defaults=settings.focus_areas)
    return replace(
        tried,
        reviews=reviews,
        judgement=judgement,
        cost_usd=total([tried.cost_usd, *(answer.review.cost_usd for answer in asked)]),
        models=added(tried.models, models_used([one for answer in asked for one in answer.completions])),
    )


def _without_model(ports: Ports, ticket: Ticket, snapshot: Snapshot, focuses: Sequence[Focus]) -> Critique:
    """What tools and the text alone show: advice, which decides nothing. Tools that cannot be had are told as such."""
    brief, files = brief_of(ports, ticket, snapshot), ports.contents(snapshot)
    reviews: tuple[Review, ...] = (read_text(brief, files),) if Focus.SPEC_COMPLIANCE in focuses else ()
    sandbox_s, kept = 0.0, None
    try:
        if RULES.keys() & focuses:
            image = ports.image_id(replace(ticket, requirements=tool_requirements()))
            job = tools_job(brief, run_id=ports.run_id, archive=ports.workspace(snapshot), image_id=image)
            ran = ports.stages.cached(TOOLS, ports.result_key([job]), lambda: run_tools(job, ports.sandbox))
            reviews = (*read_tools(ran.record, focuses, brief), *reviews)
            sandbox_s, kept = 0.0 if ran.kept else ran.record.duration_s, ran.kept
    except RequirementsUnavailable as error:
        reviews = tuple(replace(one, note=f"{one.note}; the tools cannot be had: {error.message}") for one in reviews)
    judgement = judge(reviews, block_on=BlockOn.CONFIRMED, defaults=())
    return Critique(reviews=reviews, judgement=judgement, sandbox_s=sandbox_s, kept=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One critic's review with the counterexamples that it gave."""

    review: Review
    counterexamples: Mapping[int, Counterexample]
    completions: tuple[Completion, ...] = ()
    own: int = 0
    """How many of the failures it named itself; what follows was proven in the round before."""

    def carrying(self, proven: Sequence[tuple[Focus, ReviewFailure, Counterexample]]) -> "_Answer":
        """With what tests of this focus showed in the round before, to be shown once more, or to be gone."""
        ours = [(failure, test) for focus, failure, test in proven if focus is self.review.focus]
        own = len(self.review.failures)
        again = tuple(replace(one, standing=Standing.UNCONFIRMED, remediation="") for one, _ in ours)
        tests = {own + index: test for index, (_, test) in enumerate(ours)}
        review = replace(self.review, failures=(*self.review.failures, *again))
        return replace(self, review=review, counterexamples={**self.counterexamples, **tests}, own=own)

    def tried(self, failures: Sequence[ReviewFailure]) -> Review:
        """The review after the tests ran: without the earlier failures whose tests pass now."""
        still = tuple(one for one in failures[self.own :] if one.reason != PASSES)
        verdict = ReviewVerdict.FAIL if still else self.review.verdict
        return replace(self.review, failures=(*failures[: self.own], *still), verdict=verdict)

    def located(self, files: Mapping[str, bytes]) -> "_Answer":
        """With every failure marked whose evidence is not there; its counterexample is not run."""
        failures = tuple(_located(one, files) for one in self.review.failures)
        gone = {index for index, one in enumerate(failures) if one.standing is Standing.WITHOUT_EVIDENCE}
        kept = {index: one for index, one in self.counterexamples.items() if index not in gone}
        return replace(self, review=replace(self.review, failures=failures), counterexamples=kept)


def _located(failure: ReviewFailure, files: Mapping[str, bytes]) -> ReviewFailure:
    missing = missing_evidence(failure.evidence, files)
    return replace(failure, standing=Standing.WITHOUT_EVIDENCE, reason=missing) if missing else failure


class _Asking:
    """One critic."""

    def __init__(self, ports: Ports, brief: Brief, focus: Focus, script: str, tier: Tier) -> None:
        self._ports, self._brief, self._focus = ports, brief, focus
        self._prompt = review_prompt(focus, brief, script, tier)
        self._completions: list[Completion] = []

    def review(self) -> _Answer:
        """Its answer; where none can be read, or none comes, it is unavailable."""
        why = ""
        for sample in range(TRIES):
            try:
                completion = self._ports.model(self._brief.ticket.id).generate(replace(self._prompt, sample=sample))
            except (BudgetExhausted, ModelUnavailable) as error:
                return self._unavailable(error.message, error.cost_usd)
            self._completions.append(completion)
            read = read_review(completion.reply.text)
            if isinstance(read, ReadReview):
                return self._read(read)
            why = read
        return self._unavailable(why, Decimal(0))

    def _read(self, read: ReadReview) -> _Answer:
        review = replace(self._blank(read.verdict), failures=read.failures, note=read.note)
        return _Answer(review=review, counterexamples=read.counterexamples, completions=tuple(self._completions))

    def _unavailable(self, why: str, cost_usd: Decimal | None) -> _Answer:
        review = self._blank(ReviewVerdict.UNAVAILABLE)
        review = replace(review, note=why, cost_usd=total([review.cost_usd, cost_usd]))
        return _Answer(review=review, counterexamples={}, completions=tuple(self._completions))

    def _blank(self, verdict: ReviewVerdict) -> Review:
        used = [one.reply.usage for one in self._completions if not one.from_cache]
        return Review(
            critic_id=critic_id(self._focus),
            focus=self._focus,
            verdict=verdict,
            model=self._completions[-1].reply.model if self._completions else "",
            input_tokens=sum(one.input_tokens for one in used),
            output_tokens=sum(one.output_tokens + one.thinking_tokens for one in used),
            cost_usd=total(one.cost_usd for one in self._completions),
        )


def _tried(ports: Ports, ticket: Ticket, snapshot: Snapshot, answers: Sequence[_Answer]) -> Critique:
    """The reviews with the standing of each failure, after its counterexample was run."""
    held = replace(ticket, claims=promises_of(ticket))
    given: dict[Key, Counterexample] = {
        (review, index): one
        for review, answer in enumerate(answers)
        for index, one in sorted(answer.counterexamples.items())
    }
    names = [f"critic-{answer.review.critic_id}" for answer in answers]
    made = gather(brief_of(ports, held, snapshot), given, names)
    screening = screen_tests(ports, held, snapshot, made.attack)
    attacked = run_attack(ports, held, snapshot, screening)
    triage = triage_tests(ports, held, snapshot, screening, attacked) if attacked.run else Triage()
    triaged, second_s = triage.triaged, 0.0
    evidence = Evidence(screening=screening, attacked=attacked, triage=triage)
    if survivors(evidence):
        again = rerun_elsewhere(ports, held, snapshot, evidence)
        triaged, second_s = again.evidence.triage.triaged, again.sandbox_s
    found = [
        tuple(
            failure
            if failure.standing is Standing.WITHOUT_EVIDENCE
            else stand(failure, made.names.get((number, index)), screening, triaged, attacked.run)
            for index, failure in enumerate(answer.review.failures)
        )
        for number, answer in enumerate(answers)
    ]
    return Critique(
        reviews=tuple(answer.tried(failures) for answer, failures in zip(answers, found, strict=True)),
        judgement=Judgement(status=None),
        tests=screening.attack.source if screening.attack.tests else "",
        stop=stop if (stop := attacked.stop) and stop.status is Status.BLOCKED_DANGEROUS_OPERATION else None,
        cost_usd=triage.cost_usd,
        models=triage.models,
        sandbox_s=attacked.sandbox_s + triage.sandbox_s + second_s,
        proven=tuple(
            (answer.review.focus, failure, answer.counterexamples[index])
            for answer, failures in zip(answers, found, strict=True)
            for index, failure in enumerate(failures)
            if failure.standing is Standing.CONFIRMED
        ),
    )


def _remedied(ports: Ports, brief: Brief, critique: Critique) -> Critique:
    """With a remedy for each confirmed failure that blocks; where none comes, without."""
    completions: list[Completion] = []

    def remedied(failure: ReviewFailure) -> ReviewFailure:
        if failure.standing is not Standing.CONFIRMED or not failure.severity.blocks:
            return failure
        text = _remedy(ports, brief, remedy_prompt(brief, failure), completions)
        return replace(failure, remediation=text)

    reviews = tuple(replace(one, failures=tuple(map(remedied, one.failures))) for one in critique.reviews)
    return replace(
        critique,
        reviews=reviews,
        cost_usd=total([critique.cost_usd, *(one.cost_usd for one in completions)]),
        models=added(critique.models, models_used(completions)),
    )


def _remedy(ports: Ports, brief: Brief, prompt: Prompt, completions: list[Completion]) -> str:
    try:
        completions.append(ports.model(brief.ticket.id).generate(prompt))
    except (BudgetExhausted, ModelUnavailable):
        return ""
    return read_remedy(completions[-1].reply.text)
