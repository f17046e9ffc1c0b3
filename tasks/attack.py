"""Stage 7: run the attack in a container."""

from refute.stages import trial
from tasks.stage import stage

run_attack = stage("attack")(trial.run_attack)
