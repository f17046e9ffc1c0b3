"""The words by which people describe a result; one row per way to say it.

A pattern is matched from the first word of the description.
"""

from refute.adversary.property import results
from refute.adversary.property.law import phrases

_LEAD = (
    r"(?:an? |the )?(?:new |fresh |sorted |flat )*(?:(?:list|array|tuple|iterator|generator|sequence|copy|iterable)"
    r"(?: (?:of|with|containing|holding|that (?:yields|contains|holds)|yielding|over))?,? )?(?:all )?(?:of )?(?:the )?"
)
_ASCENDING = r"(?:in|into) (?:sorted|ascending|increasing|non-?decreasing)(?: sorted)?(?: order)?"
_DESCENDING = r"(?:in|into) (?:descending|decreasing|reverse(?:d)?(?: sorted)?)(?: order)?"
_ELEMENTS = r"(?:same )?(?:elements|items|values|numbers|ints|integers|strings|words|contents)"
_NAMED = r"(?:the )?(?:input |given |original )?`?(?P<of>\w+)`?"
_VALUE_WORD = (
    r"(?:an? )?(?:(?:floats?|numbers?|values?|ints?|integers?|results?|reals?|scores?|ratios?|probability|"
    r"probabilities)(?: (?:that (?:is|are|lies?)|which (?:is|are|lies?)|lying))? )?(?:always )?"
)
_ATOM = r"`[^`]+`|-?[\w.]+(?:\([^()]*\))?"

RESULT_PHRASES = phrases(
    (
        (
            "in sorted order",
            (
                rf"{_LEAD}(?:{_ELEMENTS} (?:of|in|from) )?{_NAMED},? (?:sorted )?(?:{_ASCENDING}|"
                rf"{_DESCENDING})"
            ),
            results.in_order,
        ),
        (
            "in sorted order",
            (
                rf"{_LEAD}{_ELEMENTS} (?:of|in|from) {_NAMED},? sorted(?: (?:ascending|descending))?(?=$|"
                rf"[.,;])"
            ),
            results.in_order,
        ),
        (
            "in sorted order",
            (
                rf"(?:a |the )?(?:new )?sorted (?:copy|version|list)(?: of)? (?:the )?(?:{_ELEMENTS} (?:of|in|"
                rf"from) )?{_NAMED}(?: {_ASCENDING}| {_DESCENDING})?"
            ),
            results.in_order,
        ),
        (
            "in order",
            (
                r"(?:(?:its|the|all|an?|both|two) )*(?:new )?(?:\w+ )?(?:(?:arguments?|values|numbers|items|elements|"
                r"lists?|tuples?|pairs|sequence|array)(?: as an? (?:tuple|list|pair))?,? )?(?:always )?"
                r"(?:sorted )?(?:(?:in )?(?:sorted |non-?decreasing |increasing )?(?:ascending|descending|decreasing)"
                r"(?: order)?|sorted)(?=$|[.,;])"
            ),
            results.ascending,
        ),
        (
            "reversed",
            (
                rf"(?:a |the )?(?:new )?(?:reversed? (?:copy|version|list|string|of)? ?(?:of )?){_NAMED}(?: "
                rf"reversed)?"
            ),
            results.backwards,
        ),
        (
            "equivalent to",
            (
                r"(?:exactly )?(?:(?:the )?same (?:result |value |thing )?as|equal to|equivalent to) "
                r"(?P<expr>.+)"
            ),
            results.equivalent,
        ),
        (
            "in an interval",
            (
                rf"{_VALUE_WORD}(?:in|within) (?:the )?(?:closed )?(?:interval|range)? ?\[(?P<low>[^,\]]+), "
                rf"?(?P<high>[^\]]+)\]"
            ),
            results.between,
        ),
        (
            "between",
            (
                rf"{_VALUE_WORD}(?:between|in the range|from) (?P<low>{_ATOM}) (?:and|to) "
                rf"(?P<high>{_ATOM})(?:,? \(?(?:both )?inclusive(?:ly)?\)?)?(?=$|[.,;]| for (?:any|all|every))"
            ),
            results.between,
        ),
        (
            "never more than",
            (
                rf"(?:an? )?(?:(?:list|string|sequence|array|text)(?: (?:of|with))? )?(?:at most|no more than|"
                rf"never more than|no longer than|never longer than|at least|no less than|no fewer than|never "
                rf"less than|not longer than) (?P<bound>{_ATOM})(?: (?:items|elements|characters|chars|entries|"
                rf"values)(?: long)?)?(?=$|[.,;])"
            ),
            results.limit,
        ),
        (
            "each no longer than",
            (
                r"(?:.*,? )?(?:each|every)(?: (?:line|string|chunk|part|piece|word|one|item|"
                r"element))?(?: (?:is|being|of which is))? (?:no longer than|at most|never "
                r"longer than) (?:the )?(?P<bound>`[^`]+`|[\w ]+?)(?: (?:characters|chars|"
                r"items|elements)(?: long)?)?(?=$|[.,;])"
            ),
            results.each_limit,
        ),
        (
            "concatenation is the original",
            (
                r".*\bconcatenat\w+ (?:of )?(?:the |all )?(?:\w+ )?(?:strings|lines|parts|"
                r"chunks|pieces|result)\b.{0,12}(?:returns?|gives?|equals?|is|yields?|"
                r"restores?|reproduces?)(?: back)? (?:the )?(?:original|input)(?: (?:text|"
                r"string|input))?(?=$|[.,;]| and)"
            ),
            results.concatenation,
        ),
        (
            "index such that",
            (
                r"(?:an? |the |any )?(?P<which>lowest|smallest|first|highest|largest|last)? ?index "
                r"`?(?P<variable>\w+)`? (?:such that|where|with|for which) (?P<cond>`[^`]+`|[^,]+?),? or "
                r"(?P<other>`[^`]+`|-?\w+) (?:if|when|where) (?P<absent>`[^`]+`|[^.,;]+)"
            ),
            results.index_such_that,
        ),
        (
            "same length",
            (
                rf"(?:.*\b)?(?:(?:of|with|has|have) (?:exactly )?the same (?:length|size|number of (?:elements|"
                rf"items)) as) {_NAMED}(?=$|[.,;])"
            ),
            results.same_length,
        ),
        (
            "sign",
            (
                r"(?:an? )?(?:always |strictly )?(?:non-?\s?negative|positive|natural)(?: (?:int|integer|"
                r"number|float|value|result))?(?=$|[.,;])"
            ),
            results.sign,
        ),
        ("removes duplicates", r"(?:.*\b)?(?:without|no|free of) (?:any )?duplicates?\b", results.no_duplicates),
        ("removes duplicates", r"(?:.*\b)?duplicates? (?:are |is )?removed\b", results.no_duplicates),
        (
            "whether",
            r"(?:True |true )?(?:whether(?: or not)?|iff|if and only if|exactly (?:if|when)) (?P<cond>.+)",
            results.whether,
        ),
        (
            "whether",
            (
                r"True (?:if|when) (?P<cond>.+?),? (?:and |or )?(?:False otherwise|otherwise False|else "
                r"False)"
            ),
            results.whether,
        ),
    )
)
