"""Stage 4: run the author's verification script in a container."""

from refute.stages import trial
from tasks.stage import stage

run_verification = stage("verify")(trial.run_verification)
