"""Stage 10: have an attack that was too weak strengthened once."""

from refute.stages import hardening
from tasks.stage import stage

harden = stage("harden")(hardening.harden)
