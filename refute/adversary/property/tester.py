"""The built-in tester: deterministic, without a key, without running the code it attacks."""

from collections.abc import Iterable, Iterator

from refute.adversary.attack import Attack, Brief, Origin
from refute.adversary.property.blocks import author_property
from refute.adversary.property.claims import phrase_tests
from refute.adversary.property.subject import subjects_of
from refute.adversary.property.draft import Draft, Note
from refute.adversary.property.examples import author_examples, docstring_examples, text_examples
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.render import render
from refute.adversary.property.surface import read_surface
from refute.ticket.record import Claim, ClaimId


class PropertyTester:
    """Writes tests from examples, properties and recognised phrases; says which claims it could not attack."""

    def write_tests(self, brief: Brief) -> Attack:
        """One pytest file for the ticket; the same brief gives the same bytes."""
        surface = read_surface(brief.modules)
        namespace = Namespace(surface=surface)
        found: list[Draft | Note] = []
        for claim in brief.ticket.claims:
            found += author_examples(claim, namespace)
            block = author_property(claim, namespace)
            found += [block] if block else []
            subjects = subjects_of(claim, surface)
            only = subjects[0] if len(subjects) == 1 else None
            found += text_examples(claim, claim.text, Origin.CLAIM_EXAMPLE, namespace, subject=only)
            found += phrase_tests(claim, brief.ticket, surface)
        drafts = [item for item in found if isinstance(item, Draft)]
        notes = [item for item in found if isinstance(item, Note)]
        return render(brief, drafts, notes, {})
