"""What is missing or outdated on this machine, and what to do about it."""

from refute.doctor.check import Check
from refute.doctor.examination import examine

__all__ = ["Check", "examine"]
