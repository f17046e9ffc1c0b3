"""Stage 2: scan the verification script and what it reaches."""

from refute.stages import admission
from tasks.stage import stage

scan_scripts = stage("scan")(admission.scan_scripts)
