"""A sample of mutants from the code that the claims speak of, and which code that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from refute.adversary.attack import Brief
from refute.adversary.strength.mutants import Candidate, Mutant, candidates, sample_mutants
from refute.adversary.strength.scope import Scope, scopes
from refute.adversary.strength.violations import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Mutants that an attack is measured by."""

    mutants: tuple[Mutant, ...]
    code: str = ""
    """Which code they are of: `class Cache`."""
    population: int | None = None
    """How many mutants that code has; None where nobody counted."""
    violations: tuple[Violation, ...] = ()
    """Edits by a model that run beside them, first, and are no part of the score."""


def draw_sample(brief: Brief, *, count: int, seed: str, without: Sequence[Mutant] = ()) -> Sample:
    """Draw mutants of the code that is closest to the claims and has any; all that are left where they are no more.

    Args:
        brief: of the ticket.
        count: at most so many.
        seed: any text; the same mutants for the same one.
        without: mutants of an earlier sample, not to be drawn again.
    """
    every = candidates(brief.modules)
    for scope in scopes(brief, wanted=count, count=lambda one: len(_inside(one, every))):
        possible = _inside(scope, every)
        mutants = sample_mutants(possible, count=count, seed=seed, without=without)
        before = sum(one.line in scope.lines.get(one.path, ()) for one in without)
        if mutants or before:
            # Where a sample is not filled nothing is left, and what compiles to the same code is known to be none.
            population = len(possible) if len(mutants) == count else len(mutants) + before
            return Sample(mutants=mutants, code=scope.words, population=population)
    return Sample(mutants=())


def _inside(scope: Scope, every: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in every if one.line in scope.lines.get(one.module.module.path, ())]
