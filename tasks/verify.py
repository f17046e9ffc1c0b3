"""Stage 4: run the author's verification script in a container."""

from refute import stages
from tasks.stage import stage

run_verification = stage("verify")(stages.run_verification)
