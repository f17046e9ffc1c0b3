"""The words by which people say what a function does; one row per way to say it."""

from refute.adversary.property import behaviours, results
from refute.adversary.property.law import phrases

_IT = r"(?:^|.*?\b)"
_SUBJECT = (
    r"(?:(?:the |this )?(?:function |method |operation )?`?[\w.]+(?:\([^)]*\))?`?"
    r"|it|(?:the |this )?(?:function|operation|result|distance|metric|measure|call))"
)
_NOT_MODIFY = r"(?:modif\w+|mutat\w+|chang\w+|alter\w*|touch\w*)"
_TARGET = r"(?P<what>(?:(?:its|the|any|either|of|original|input|given|passed[- ]in|passed) )*`?\w+`?)"
_ERROR = r"(?:an? )?`?(?P<error>[A-Z]\w*(?:Error|Exception|Iteration))`?"
_MEASURED = (
    r"\w*(?:seconds|minutes|hours|days|weeks|months|years|bytes|bits|cents|euros|dollars|points|percents|degrees)"
)
_COUNTED = rf"(?!{_MEASURED}\b)[a-z]+s"
_BOUND = rf"(?P<bound>`[^`]+`|-?[\w.]+(?:\([^()]*\))?)(?: (?P<unit>{_COUNTED}))?(?=$|[.,;])"
_VALUE = (
    r"(?P<value>`[^`]+`|None|True|False|-?\d+(?:\.\d+)?|\[[^\]]*\]|\(\)|\{\}|'[^']*'|\"[^\"]*\"|"
    r"an empty (?:list|string|dict|tuple))"
)

BEHAVIOUR_PHRASES = phrases(
    (
        (
            "idempotent",
            rf"^{_SUBJECT} (?:is|must be|should be|are) (?:always )?idempotent\b(?=$|[.,;:])",
            behaviours.idempotent,
        ),
        (
            "idempotent",
            (
                r"^(?:.*\b)?applying (?:it|\S+) twice (?:gives|yields|returns|has|changes|does|"
                r"is)\b[^.]*(?:same|nothing|no (?:further )?(?:effect|change)|once)"
            ),
            behaviours.idempotent,
        ),
        (
            "symmetric",
            (
                rf"^{_SUBJECT} (?:is|must be|should be) (?:always )?(?:commutative|symmetric(?:al)?)\b(?: in "
                rf"its arguments)?(?=$|[.,;:])"
            ),
            behaviours.symmetric,
        ),
        (
            "does not modify",
            (
                rf"{_IT}(?:does not|doesn't|do not|never|not|without|must not|will not) (?:be "
                rf")?{_NOT_MODIFY}(?: in place)? {_TARGET}(?: in place)?(?=$|[.,;]|,? but| and)"
            ),
            behaviours.unmodified,
        ),
        (
            "does not modify",
            rf"{_IT}leaves {_TARGET} (?:unchanged|untouched|unmodified|intact|alone)",
            behaviours.unmodified,
        ),
        ("does not modify", rf"^{_TARGET} (?:is|are) (?:never|not) {_NOT_MODIFY}(?=$|[.,;])", behaviours.unmodified),
        (
            "never raises",
            (
                rf"{_IT}(?:never|does not|doesn't|must not|will not|won't) (?:raises?|throws?|crash(?:es)?)(?: "
                rf"(?:an? |any )?(?:exceptions?|errors?))?(?=$|[.,;]|,? (?:for|on) (?:any|all|every|whatever)| "
                rf"whatever| no matter)"
            ),
            behaviours.never_raises,
        ),
        (
            "never more than",
            (
                rf"{_IT}(?:never|does not|doesn't|will not|won't|must not) (?:ever )?(?:returns?|yields?|gives?|"
                rf"produces?|outputs?) (?:more|fewer|less|greater|larger|higher|lower|smaller) than {_BOUND}"
            ),
            results.never_beyond,
        ),
        (
            "never more than",
            (
                rf"^(?P<subject>it|`?[\w.]+(?:\([^)]*\))?`?|(?:the |its )?(?:result|output|return(?:ed)? value)(?: of "
                rf"`?[\w.]+(?:\([^)]*\))?`?)?) (?:never|does not|doesn't|will not|must not|cannot) "
                rf"(?:exceeds?|goes? (?:above|over)) {_BOUND}"
            ),
            results.never_beyond,
        ),
        (
            "raises nothing else",
            (
                rf"{_IT}(?:raises? only|only raises?|never raises? anything (?:but|other than|"
                rf"except)|raises? nothing (?:but|other than|except)) {_ERROR}"
            ),
            behaviours.raises_only,
        ),
        (
            "raises",
            rf"{_IT}(?:raises?|throws?) {_ERROR} (?:if|when|whenever|for|on|where) (?P<cond>[^;]+)",
            behaviours.raises,
        ),
        ("raises", rf"{_IT}(?:raises?|throws?) {_ERROR} (?P<unless>unless) (?P<cond>[^;]+)", behaviours.raises),
        (
            "raises",
            (
                rf"^(?:if|when|whenever) (?P<cond>[^;]+?),? (?:it |{_SUBJECT} |then )?(?:raises?|throws?) "
                rf"{_ERROR}(?=$|[.,;])"
            ),
            behaviours.raises,
        ),
        (
            "raises",
            (
                r"^(?P<cond>(?:an? |any |all )?(?:empty|(?:non-?)?(?:negative|positive|zero)|even|odd) `?\w+`?) "
                r"(?:(?:must |should |will )?(?:raises?|throws?)|(?:is|are) (?:rejected|refused) with) "
                rf"{_ERROR}(?=$|[.,;])"
            ),
            behaviours.raises,
        ),
        (
            "sign",
            rf"^(?P<subject>{_SUBJECT}) (?:is|are) never (?P<sign>negative|zero)(?=$|[.,;])",
            results.never_of_sign,
        ),
        (
            "value when",
            rf"{_IT}(?:returns?|yields?|gives?) {_VALUE} (?:if|when|whenever|for) (?P<cond>[^;]+)",
            behaviours.value_when,
        ),
        (
            "value when",
            (
                rf"^(?:if|when|whenever) (?P<cond>[^;]+?),? (?:it |{_SUBJECT} |then )?(?:must |should |will "
                rf")?(?:returns?|yields?|gives?) {_VALUE}(?=$|[.,;])"
            ),
            behaviours.value_when,
        ),
        (
            "value for empty",
            (
                rf"{_IT}(?:returns?|yields?|gives?) {_VALUE} (?:for|on|given) (?:an? |the )?empty (?:input "
                rf")?(?P<noun>\w+)(?=$|[.,;])"
            ),
            behaviours.value_for_empty,
        ),
        (
            "handles empty",
            (
                r"^(?:.*\b)?(?:handles?|accepts?|works (?:for|on|with)|copes with) (?:an? |the )?empty "
                r"(?:input )?(?P<noun>\w+)\b"
            ),
            behaviours.handles_empty,
        ),
        (
            "round trip",
            (
                r"^`?[\w.]+(?:\([^)]*\))?`? (?:is|must be|should be) (?:the |an? )?(?:exact )?(?:inverse|"
                r"reverse|opposite) of `?(?P<other>\w+)`?(?:\(\))?(?=$|[.,;])"
            ),
            behaviours.inverse,
        ),
        (
            "equivalent to",
            (
                rf"{_IT}(?:is |are |an? |behaves )(?:\w+ )?(?:the same as|same as|equivalent (?:to|of)|equal "
                rf"to|identical to|like) (?P<expr>.+)"
            ),
            behaviours.equivalent,
        ),
        (
            "equivalent to",
            r"^(?:efficient |faster |fast )?(?:equivalent (?:to|of)|same as) (?P<expr>.+)",
            behaviours.equivalent,
        ),
        ("deterministic", rf"^{_SUBJECT} (?:is|must be) (?:deterministic|a pure function)\b", behaviours.deterministic),
    )
)
