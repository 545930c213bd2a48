# Runs in a fresh Debian system, see Scripts/interop-packages.
set -eu
cd /mnt
passed() { echo "  $*"; }
apt-get -q update >/tmp/log
apt-get -q -y --no-install-recommends install python3-venv >>/tmp/log

started=$(date +%s)
python3 -m venv /tmp/venv
/tmp/venv/bin/pip install -q --no-index ./haul_dl-*.whl
/tmp/venv/bin/haul get -q -o /tmp/one "$URL"
cmp /tmp/one file.bin
passed "from the wheel to a finished download, with an environment of its own: $(($(date +%s) - started)) s"

/tmp/venv/bin/python -c 'import haul, sys; print(*(file.path for file in haul.download(sys.argv[1], directory="/tmp/two")))' "$URL" >/tmp/log
cmp /tmp/two/file.bin file.bin
passed "haul.download"

/tmp/venv/bin/pip uninstall -q -y haul-dl
[ -z "$(find /tmp/venv -name '*haul*')" ]
passed "removed"
