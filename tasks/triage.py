"""Stage 8: decide what each failing test means."""

from refute import stages
from tasks.stage import stage

triage_tests = stage("triage")(stages.triage_tests)
