"""Stage 2: scan the verification script and what it reaches."""

from refute import stages
from tasks.stage import stage

scan_scripts = stage("scan")(stages.scan_scripts)
