# Runs once, as root and without network, in a container of the root layer with our wheels put into it.
set -eu
cd /opt/refute/site-packages
python3 -m compileall -qq -f --invalidation-mode unchecked-hash /opt/refute/site-packages
# Hypothesis's tables of characters: made here once (2 s), else by every attack that draws text. Its gzip has no time in it.
HYPOTHESIS_STORAGE_DIRECTORY=$PWD/hypothesis-tables PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1 python3 -c '
from hypothesis.internal import charmap
charmap.charmap()
charmap.intervals_from_codec("utf-8")'
