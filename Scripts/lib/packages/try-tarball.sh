# Runs in a fresh Debian system, see Scripts/interop-packages.
set -eu
cd /mnt
passed() { echo "  $*"; }
useradd -m tester
as() { runuser -u tester -- env HOME=/home/tester "$@"; }

started=$(date +%s)
as tar -C /home/tester -xzf haul-*-linux-*.tar.gz
folder=$(echo /home/tester/haul-*)
as "$folder/install.sh" >/tmp/log
as /home/tester/.local/bin/haul get -q -o /home/tester/one "$URL"
cmp /home/tester/one file.bin
passed "from the archive to a finished download, as an ordinary user: $(($(date +%s) - started)) s"

umount /proc
if "$folder/bin/haul" --version >/tmp/log 2>&1; then exit 1; fi
grep -q 'mount /proc' /tmp/log
mount -t proc proc /proc
passed "without /proc: one clear line"

list() { (cd /home/tester/.local && find bin share | sort | md5sum); }
before=$(list)
as "$folder/install.sh" >/tmp/log
[ "$(list)" = "$before" ]
as "$folder/install.sh" --aria2c >/tmp/log
as /home/tester/.local/bin/aria2c --version | grep -q '^aria2 version'
as "$folder/install.sh" --uninstall >/tmp/log
[ -z "$(find /home/tester/.local -path '*/state' -prune -o ! -type d -print)" ]
cd /home/tester
as env PREFIX=rel "$folder/install.sh" >/tmp/log
[ -x rel/bin/haul ]
as env PREFIX=rel "$folder/install.sh" --uninstall >/tmp/log
[ -z "$(find rel/share -mindepth 1)" ]
cd /mnt
echo other | as tee /home/tester/.local/bin/aria2c >/tmp/log
as "$folder/install.sh" --aria2c >/tmp/log 2>&1 && exit 1
as "$folder/install.sh" --uninstall >/tmp/log
[ "$(cat /home/tester/.local/bin/aria2c)" = other ]
passed "installed again, removed; another aria2c is left alone"
