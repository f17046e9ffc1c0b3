# Runs once, as root and without network, in a container of the root layer with our wheels put into it.
set -eu
python3 -m compileall -qq -f --invalidation-mode unchecked-hash /opt/refute/site-packages
