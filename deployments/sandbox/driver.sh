# Runs once per driver, as root and without network, in a container of the root layer with the driver put into it.
set -eu
python3 -m compileall -qq -f --invalidation-mode unchecked-hash /opt/refute/driver
