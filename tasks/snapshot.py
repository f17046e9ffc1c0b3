"""Stage 1: freeze the ticket's files."""

from refute.stages import admission
from tasks.stage import stage

take_snapshot = stage("snapshot")(admission.take_snapshot)
