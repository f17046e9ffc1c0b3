"""Stage 5: have a tester write the attack."""

from refute.stages import writing
from tasks.stage import stage

write_tests = stage("write tests")(writing.write_tests)
