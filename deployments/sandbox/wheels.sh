# Runs once, as root and without network, in a container of the root layer with our wheels put into it.
set -eu
cd /usr/local/lib/site-packages
python3 -m compileall -qq -f --invalidation-mode unchecked-hash /usr/local/lib/site-packages
# Hypothesis's tables of characters: made here once (2 s), else by every test that draws text. It leaves a random
# temporary name in each gzip header, so they are packed again, and lets nobody else read them: jobs are not root.
HYPOTHESIS_STORAGE_DIRECTORY=$PWD/hypothesis-tables PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1 python3 -c '
import gzip, pathlib
from hypothesis.internal import charmap
charmap.charmap()
charmap.intervals_from_codec("utf-8")
for packed in pathlib.Path("hypothesis-tables").rglob("*.gz"):
    packed.write_bytes(gzip.compress(gzip.decompress(packed.read_bytes()), mtime=0))
    packed.chmod(0o644)'
