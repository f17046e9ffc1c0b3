"""Research on web pages that nobody trusts: a control plane that decides, and a data plane that only reads.

- settings, record: what may be spent; goals, plans, pages, readings and findings.
- styles, values, visibility, masking, page: what of a page a person would see, as text.
- intents: signed tool calls, each carried out once.
- planner, reader, prompting: the two questions to a model; the first never sees a page, the second has no tools.
- contract, grounding, contradictions, conclusion: what of an answer counts, and why the rest does not.
- harness: these in order, each behind a gate. What attacks it lies in `refute.evaluation`.
"""
