"""Research as Prefect tasks: plan, fetch, read, validate, with the retries, limits and caches that stages have."""

from typing import Final

from tasks.options import CACHED, PLAIN, RETRIED
from tasks.stages import make_stage

PLAN: Final = make_stage("plan", RETRIED, does="Decides which pages are read, before any of them is seen.")
FETCH: Final = make_stage("fetch", RETRIED, does="Fetches one page behind the URL policy.")
READ: Final = make_stage("read", CACHED, does="Has a model without tools read one page.")
VALIDATE: Final = make_stage("validate", PLAIN, does="Checks every point against its source.")
RESEARCH_STAGES: Final = {one.name: one for one in (PLAN, FETCH, READ, VALIDATE)}
