"""Stage 8: decide what each failing test means."""

from refute.stages import trial
from tasks.stage import stage

triage_tests = stage("triage")(trial.triage_tests)
