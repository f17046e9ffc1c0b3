"""Having tests written: by the built-in tester, by a model, from a recording of one, or by several of these."""

import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from refute.adversary.attack import Attack, Brief
from refute.adversary.generation.tester import ModelTester
from refute.adversary.joining import combine
from refute.adversary.property.differential import Compared
from refute.adversary.property.earlier_answers import changed_behaviour
from refute.adversary.property.tester import PropertyTester
from refute.adversary.screening.screen import screen
from refute.caching.wording import age_in_words
from refute.errors import BudgetExhausted, ModelUnavailable
from refute.llm.model import Completion
from refute.llm.pricing import total
from refute.outcome import RoundYield, Status, Stop
from refute.ports import Ports
from refute.scan.scanner import scan_python
from refute.settings_fields import TesterName
from refute.stages.brief import brief_of
from refute.stages.differences import compare_versions
from refute.stages.evidence import Writing
from refute.stages.usage import models_used
from refute.ticket.record import Snapshot, Ticket

STAGE: Final = "write tests"


def write_tests(ports: Ports, ticket: Ticket, snapshot: Snapshot, references: str = "") -> Writing | Stop:
    """Have the testers write the attack; `references` is what the ticket's references say.

    Where several write and no model answers, what the property tester wrote stands alone, and the notes say so.

    Raises:
        ModelUnavailable: only a model was to write it, and gave no answer.
        SettingsInvalid: `gemini.yaml` is missing, or would let the provider keep what it is sent.
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure, where two versions were compared.
    """
    brief = replace(brief_of(ports, ticket, snapshot), references=references)
    built_in = TesterName.PROPERTY in ports.settings.testers
    compared = compare_versions(ports, ticket, snapshot, brief) if built_in else ()
    return ports.stages.run(STAGE, lambda: _written_by_all(ports, brief, compared))


def _written_by_all(ports: Ports, brief: Brief, compared: Sequence[Compared]) -> Writing | Stop:
    written: list[Writing] = []
    missing: list[tuple[TesterName, ModelUnavailable]] = []
    for name in ports.settings.testers:
        try:
            written.append(
                _by_property(brief, compared) if name is TesterName.PROPERTY else _by_model(ports, name, brief)
            )
        except BudgetExhausted as error:
            return Stop(status=Status.SKIPPED_BUDGET, reason=str(error), cost_usd=error.cost_usd)
        except ModelUnavailable as error:
            missing.append((name, error))
    if missing and not written:
        raise missing[0][1]
    alone = tuple(f"{name} gave no tests, {_rest(written)} alone attacked: {error.message}" for name, error in missing)
    return Writing(
        attack=combine([one.attack for one in written], brief),
        cost_usd=total([*(one.cost_usd for one in written), *(error.cost_usd for _, error in missing)]),
        models=tuple(use for one in written for use in one.models),
        notes=(*alone, *(note for one in written for note in one.notes)),
        rounds=tuple(one for part in written for one in part.rounds),
    )


def _by_property(brief: Brief, compared: Sequence[Compared]) -> Writing:
    attack = PropertyTester(compared).write_tests(brief)
    tested = {test.claim_id for test in attack.tests}
    notes = [str(one) for one in attack.untested_fields if one.claim.id in tested]
    notes += dict.fromkeys(changed_behaviour(brief, compared))  # methods of one name share their calls
    return Writing(attack=attack, cost_usd=Decimal(0), rounds=(_whole(attack),), notes=tuple(notes))


def _whole(attack: Attack) -> RoundYield:
    return RoundYield(tester=attack.tester, written=len(attack.tests))


def write_harder_tests(ports: Ports, brief: Brief, existing: Sequence[str], faults: Sequence[str]) -> Writing | None:
    """Have the first tester that is a model write more tests; None where there is none.

    Args:
        ports: the effects of this run.
        brief: of the ticket.
        existing: names of the tests that are there already.
        faults: diffs of faults that they do not notice.

    Raises:
        ModelUnavailable: it gave no answer.
        BudgetExhausted: asking does not fit into a budget.
    """
    names = [name for name in ports.settings.testers if name is not TesterName.PROPERTY]
    if not names:
        return None
    tester = _model_tester(ports, names[0], brief)
    with _costs_of(tester):
        attack = ports.stages.run(STAGE, lambda: tester.harden(brief, existing, faults))
        return _written(tester, attack)


def _model_tester(ports: Ports, name: TesterName, brief: Brief) -> ModelTester:
    scan = functools.partial(scan_python, tables=ports.settings.scan_tables)
    return ModelTester(ports.model(brief.ticket.id), functools.partial(screen, scan=scan), name=name)


def _by_model(ports: Ports, name: TesterName, brief: Brief) -> Writing:
    tester = _model_tester(ports, name, brief)
    with _costs_of(tester):
        return _written(tester, tester.write_tests(brief))


@contextlib.contextmanager
def _costs_of(tester: ModelTester) -> Iterator[None]:
    """An error that ends a tester's work tells what all of that work cost."""
    try:
        yield
    except (BudgetExhausted, ModelUnavailable) as error:
        error.cost_usd = total([error.cost_usd, _cost(tester)])
        raise


def _cost(tester: ModelTester) -> Decimal | None:
    return total([*(completion.cost_usd for completion in tester.completions), *tester.lost_usd])


def _written(tester: ModelTester, attack: Attack) -> Writing:
    return Writing(
        attack=attack,
        cost_usd=_cost(tester),
        models=models_used(tester.completions),
        notes=(*tester.notes, *_not_asked_for(tester.completions)),
        rounds=tuple(tester.yields),
    )


def _not_asked_for(completions: Sequence[Completion]) -> Iterator[str]:
    ages_s = [one.kept_s for one in completions if one.kept_s is not None]
    if ages_s:
        yield f"tests come from answers kept {age_in_words(max(ages_s))} ago, at no cost (--fresh asks anew)"
    if any(one.from_cache and one.kept_s is None for one in completions):
        yield "tests come from recorded answers, at no cost"


def _rest(written: list[Writing]) -> str:
    return f"the {' and '.join(one.attack.tester for one in written)} tester"
