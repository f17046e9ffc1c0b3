"""Stage 3: ask a person."""

from refute.stages import admission
from tasks.stage import stage

confirm = stage("confirm")(admission.confirm)
