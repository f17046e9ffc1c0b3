# Runs once, as root and without network, in a container of the base image; its file system, cleaned, becomes
# the root layer of the sandbox image. Everything here must give the same bytes each time.
set -eu

# Jobs start /usr/bin/python3. Debian has it; the official images keep Python in /usr/local.
[ -e /usr/bin/python3 ] || ln -s "$(command -v python3)" /usr/bin/python3
[ -e /usr/bin/python ] || ln -s python3 /usr/bin/python

grep -q '^subject:' /etc/passwd || echo 'subject:x:65532:65532::/home/subject:/bin/bash' >>/etc/passwd
grep -q '^subject:' /etc/group || echo 'subject:x:65532:' >>/etc/group
# The user of the second environment (refute/sandbox/surroundings.py).
grep -q ':1000:' /etc/passwd || echo 'worker:x:1000:1000::/home/worker:/bin/bash' >>/etc/passwd
grep -q ':1000:' /etc/group || echo 'worker:x:1000:' >>/etc/group

# Debian's looks for a crash reporter at every start.
rm -f /usr/lib/python3*/sitecustomize.py /etc/python3*/sitecustomize.py

# The root is read-only at run time and its files carry no times, so byte code that is checked against a source's
# time would be compiled anew at every start. Byte code that is never checked is right: neither can change.
find / -xdev -name __pycache__ -prune -exec rm -rf {} +
python3 -m compileall -qq -f --invalidation-mode unchecked-hash \
    "$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" /usr/lib/python3/dist-packages \
    -x 'lib2to3/tests|/test/'
