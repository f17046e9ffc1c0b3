"""Stage 5: have a tester write the attack."""

from refute import stages
from tasks.stage import stage

write_tests = stage("write tests")(stages.write_tests)
