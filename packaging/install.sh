#!/bin/sh
# Installs Haul from this folder; root is not needed. Running it again replaces what it installed.
#
#   ./install.sh               into ~/.local
#   ./install.sh --aria2c      and a link named aria2c, for programs that run aria2c
#   ./install.sh --uninstall   removes what it installed
#
# PREFIX=/usr/local ./install.sh installs into another folder.
set -eu
prefix=${PREFIX:-$HOME/.local} aria2c=no uninstall=no
# Before the folder is changed: PREFIX may be relative.
case "$prefix" in /*) ;; *) prefix=$PWD/$prefix ;; esac
cd "$(dirname -- "$0")"
for option in "$@"; do
    case "$option" in
        --aria2c) aria2c=yes ;;
        --uninstall) uninstall=yes ;;
        -h | --help) sed -n '2,8s/^# \{0,1\}//p' install.sh; exit 0 ;;
        *) echo "install.sh: unknown option '$option'; use --aria2c or --uninstall" >&2; exit 2 ;;
    esac
done

# A link named aria2c is only replaced or removed if it leads to this haul.
link=$prefix/bin/aria2c
owns_link() { [ "$(readlink "$link" 2>/dev/null)" = haul ]; }

if [ "$uninstall" = yes ]; then
    if owns_link; then rm "$link"; fi
    units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
    if grep -qs "ExecStart=\"$prefix/bin/haul\"" "$units/haul.service"; then
        echo "The units of haul daemon install remain; to remove them:"
        echo "  systemctl --user disable --now haul.socket haul.service; rm $units/haul.socket $units/haul.service"
    fi
    find bin share -type f | while IFS= read -r file; do rm -f "$prefix/$file"; done
    # Folders with other files are kept.
    find share -mindepth 1 -depth -type d | while IFS= read -r folder; do rmdir "$prefix/$folder" 2>/dev/null || true; done
    echo "Removed Haul from $prefix; settings, lists and downloads are kept."
    exit 0
fi

# Other systems have another C library, or an older one.
if ! message=$(bin/haul --version 2>&1); then
    echo "install.sh: this system cannot run haul: $message" >&2
    echo "It needs glibc @GLIBC@ or later." >&2
    exit 1
fi
find bin share -type d | while IFS= read -r folder; do mkdir -p "$prefix/$folder"; done
find bin share -type f | while IFS= read -r file; do
    # A running program cannot be overwritten, only replaced.
    cp -p "$file" "$prefix/$file.new" && mv -f "$prefix/$file.new" "$prefix/$file"
done
if [ "$aria2c" = yes ]; then
    if [ -e "$link" ] && ! owns_link; then
        echo "install.sh: $link exists and is another program" >&2
        exit 1
    fi
    ln -sf haul "$link"
fi
echo "Installed $message in $prefix."
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "To run it as haul, add $prefix/bin to PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
