"""Stage 6: reject tests that prove nothing or are unsafe."""

from refute import stages
from tasks.stage import stage

screen_tests = stage("screen")(stages.screen_tests)
