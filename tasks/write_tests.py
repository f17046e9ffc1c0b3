"""Stage 5: have a tester write the attack."""

from refute.stages import trial
from tasks.stage import stage

write_tests = stage("write tests")(trial.write_tests)
