"""Stage 4: run the author's verification script in a container."""

from refute import stages
from tasks.stage import stage_on_engine

run_verification = stage_on_engine("verify")(stages.run_verification)
