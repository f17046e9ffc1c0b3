"""Stage 6: reject tests that prove nothing or are unsafe."""

from refute.stages import trial
from tasks.stage import stage

screen_tests = stage("screen")(trial.screen_tests)
