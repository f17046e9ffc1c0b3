"""Stage 7: run the attack in a container."""

from refute import stages
from tasks.stage import stage

run_attack = stage("attack")(stages.run_attack)
