# Runs in a fresh Debian system, see Scripts/interop-packages.
set -eu
cd /mnt
passed() { echo "  $*"; }
started=$(date +%s)
apt-get -q update >/tmp/log
apt-get -q -y install ./haul_*.deb >>/tmp/log
haul get -q -o /tmp/one "$URL"
cmp /tmp/one file.bin
passed "from the package to a finished download: $(($(date +%s) - started)) s"

aria2c --version | grep -q '^aria2 version'
aria2c -q -d /tmp -o two "$URL"
haul-aria2 -q -d /tmp -o three "$URL"
cmp /tmp/two file.bin && cmp /tmp/three file.bin
passed "aria2c, through the alternative: $(readlink -f /usr/bin/aria2c)"

[ "$(stat -c '%U:%G %a' /var/lib/haul-downloads)" = "haul:haul 2750" ]
[ "$(stat -c '%U:%G %a' /etc/haul/daemon.toml)" = "root:haul 640" ]
[ "$(getent passwd haul | cut -d: -f6)" = /var/lib/haul ]
useradd -m tester
runuser -u tester -- haul add --wait "$URL" >/tmp/log
cmp /home/tester/Downloads/file.bin file.bin
runuser -u tester -- haul daemon stop >/tmp/log 2>&1
passed "user haul, folder for downloads; a daemon of another user"

dpkg -i ./haul_*.deb >>/tmp/log
apt-get -q -y remove haul >>/tmp/log
[ ! -e /usr/bin/haul ] && [ ! -e /usr/bin/aria2c ] && [ -e /etc/haul/daemon.toml ]
touch /var/lib/haul-downloads/kept
apt-get -q -y purge haul >>/tmp/log
[ ! -e /etc/haul ] && [ ! -e /var/lib/haul ] && [ -e /var/lib/haul-downloads/kept ]
find / -xdev -path /proc -prune -o -path /mnt -prune -o -name '*haul*' -print | grep -v -e haul-downloads -e /home/tester -e /var/lib/dpkg -e /var/log -e /tmp && exit 1
passed "installed again, removed, purged: nothing is left but downloads"

apt-get -q -y --no-install-recommends install aria2 >>/tmp/log
apt-get -q -y --no-install-recommends install ./haul_*.deb >>/tmp/log
[ "$(dpkg -S /usr/bin/aria2c)" = "aria2: /usr/bin/aria2c" ] && [ ! -L /usr/bin/aria2c ]
apt-get -q -y purge haul >>/tmp/log
/usr/bin/aria2c --version | grep -q 'aria2 version'
apt-get -q -y install ./haul_*.deb >>/tmp/log
apt-get -q -y purge aria2 >>/tmp/log
passed "beside Debian's aria2, which keeps /usr/bin/aria2c"
