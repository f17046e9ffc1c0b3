"""What may go wrong between the two processes, as exceptions."""


class CannotCarry(Exception):
    """Something of a test cannot be taken to the other process; says nothing about the code."""


class CannotCarryBack(CannotCarry):
    """The same of something that may well have come from the implementation: whose fault it is, nobody knows."""


class Malformed(Exception):
    """The other side sent what no honest one sends."""


class SubjectGone(Exception):
    """The other process has ended."""


class Uncarried:
    """Stands in the place of a value that could not be made here: the test that gets it is noted as not carried."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
