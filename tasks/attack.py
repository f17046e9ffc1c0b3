"""Stage 7: run the attack in a container."""

from refute import stages
from tasks.stage import stage_on_engine

run_attack = stage_on_engine("attack")(stages.run_attack)
