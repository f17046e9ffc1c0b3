"""Stage 9: see how strong the attack was, on mutants of the implementation."""

from refute.stages import strength
from tasks.stage import stage

measure_strength = stage("strength")(strength.measure_strength)
