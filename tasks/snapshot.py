"""Stage 1: freeze the ticket's files."""

from refute import stages
from tasks.stage import stage

take_snapshot = stage("snapshot")(stages.take_snapshot)
