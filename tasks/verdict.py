"""Stage 11: from claims and evidence to a status."""

from refute.stages import trial
from tasks.stage import stage

reach_verdict = stage("verdict")(trial.reach_verdict)
