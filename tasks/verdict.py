"""Stage 9: from claims and evidence to a status."""

from refute import stages
from tasks.stage import stage

reach_verdict = stage("verdict")(stages.reach_verdict)
