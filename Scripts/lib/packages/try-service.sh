# Runs in a booted Debian system, see Scripts/interop-packages: the system-wide service, with its restrictions.
set -eu
cd /mnt
if [ "${1:-}" = prepare ]; then
    apt-get -q update >/tmp/log
    apt-get -q -y --no-install-recommends install systemd dbus curl ./haul_*.deb >/tmp/log
    cat >/etc/systemd/system/try.service <<END
[Service]
Type=oneshot
Environment=URL=$URL LC_ALL=C.UTF-8
ExecStart=/bin/sh /mnt/try-service.sh
StandardOutput=file:/mnt/result
StandardError=file:/mnt/errors
ExecStopPost=/bin/systemctl --no-block poweroff
[Install]
WantedBy=multi-user.target
END
    systemctl enable -q try.service 2>/tmp/log
    exit 0
fi
passed() { echo "  $*"; }
export HAUL_SOCKET=/run/haul/daemon.sock
useradd -m -G haul member
useradd -m stranger

systemctl enable -q haul.socket haul.service 2>/tmp/log
systemctl start haul.socket
[ "$(stat -c '%U:%G %a' "$HAUL_SOCKET")" = "root:haul 660" ]
as_member() { runuser -u member -- env HAUL_SOCKET="$HAUL_SOCKET" haul "$@" 2>/tmp/errors; }
started=$(date +%s%N)
as_member add --wait "$URL" >/tmp/log
cmp /var/lib/haul-downloads/file.bin file.bin
passed "a member of the group haul downloads; the socket starts the service: $((($(date +%s%N) - started) / 1000000)) ms"

runuser -u member -- cmp /var/lib/haul-downloads/file.bin file.bin
[ "$(stat -c '%U:%G %a' /var/lib/haul-downloads/file.bin)" = "haul:haul 640" ]
[ "$(stat -c '%U:%G %a' /var/lib/haul)" = "haul:haul 700" ]
if runuser -u stranger -- env HAUL_SOCKET="$HAUL_SOCKET" haul list >/tmp/log 2>&1; then exit 1; fi
if runuser -u stranger -- cat /var/lib/haul-downloads/file.bin >/tmp/log 2>&1; then exit 1; fi
if as_member add "$URL" -d /var/lib/haul >/tmp/log 2>&1; then exit 1; fi
facts=$(awk '/^(CapBnd|NoNewPrivs|Seccomp):/ { print $2 }' "/proc/$(systemctl show -P MainPID haul)/status" | tr '\n' ' ')
[ "$facts" = "0000000000000000 1 2 " ]
grep -q ' / ro' "/proc/$(systemctl show -P MainPID haul)/mountinfo"
passed "members can read the file; other users can use neither the socket nor the file"

# Everything that a hook and a configuration may need works under the restrictions.
cat >>/etc/haul/daemon.toml <<END
port = 7373
[[hooks]]
on = ["completed"]
command = ["/usr/bin/touch", "/var/lib/haul-downloads/hook"]
END
systemctl restart haul
as_member add --wait "$URL?2" -o second.bin >/tmp/log
curl -sf http://127.0.0.1:7373/health | grep -q ok
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e /var/lib/haul-downloads/hook ] || sleep 0.2; done
[ -e /var/lib/haul-downloads/hook ]
systemctl reload haul
kill -9 "$(systemctl show -P MainPID haul)"
for _ in 1 2 3 4 5 6 7 8 9 10; do if as_member list >/tmp/log 2>&1; then break; else sleep 0.5; fi; done
grep -q file.bin /tmp/log
systemctl is-active -q haul
passed "port, hook, reload, restart after kill -9; status: $(systemctl show -P StatusText haul)"

passed "systemd-analyze security: $(systemd-analyze security haul.service | tail -1 | sed 's/.*level[^:]*: //')"

DEBIAN_FRONTEND=noninteractive dpkg -i haul_*.deb >/tmp/log 2>&1
systemctl is-active -q haul
DEBIAN_FRONTEND=noninteractive apt-get -q -y purge haul >/tmp/log 2>&1
[ ! -e "$HAUL_SOCKET" ] && ! systemctl is-active -q haul && [ ! -e /etc/systemd/system/sockets.target.wants/haul.socket ]
[ -e /var/lib/haul-downloads/file.bin ] && [ ! -e /var/lib/haul ]
passed "upgraded while running, purged: stopped, disabled, downloads kept"
echo finished
