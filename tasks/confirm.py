"""Stage 3: ask a person."""

from refute import stages
from tasks.stage import stage

confirm = stage("confirm")(stages.confirm)
