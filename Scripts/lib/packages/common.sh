# shellcheck shell=bash
# What the scripts for packages share: the version, the time of all files in a package, and the contents of both kinds of package.

# Returns the version that the sources define.
version() {
    sed -n 's/.*current = "\(.*\)"/\1/p' Sources/HaulCore/Version.swift
}

# What a version looks like, that of a candidate included.
# shellcheck disable=SC2034 # used by those who include this
versions='^[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?$'

# The time in packages: SOURCE_DATE_EPOCH, otherwise the date of the release in the changelog, otherwise that of the last commit.
epoch() {
    local day
    day=$(sed -n "s/^## $(version) (\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\))$/\1/p" CHANGELOG.md)
    if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
        echo "$SOURCE_DATE_EPOCH"
    elif [ -n "$day" ]; then
        date -u -d "$day" +%s
    else
        git log -1 --format=%ct
    fi
}

# stage HAUL FOLDER ZSH: copies the program with its manual pages and completions.
stage() {
    local haul="$2/bin/haul" pages="$2/share/man/man1"
    [ -x "$1" ] || { echo "$1 is missing; run: make release" >&2; return 1; }
    install -d "$2/bin" "$pages" "$2/share/bash-completion/completions" "$2/share/$3" "$2/share/fish/vendor_completions.d"
    install -m 755 "$1" "$haul"
    strip --strip-all --remove-section=.comment "$haul"
    install -m 755 packaging/haul-aria2 "$2/bin/haul-aria2"
    [ "$("$haul" --version)" = "haul $(version)" ] || { echo "$1 is $("$haul" --version), the sources are $(version)" >&2; return 1; }
    python3 Scripts/lib/packages/manpages.py "$haul" "$pages"
    sed "s/@VERSION@/$(version)/" packaging/haul-aria2.1 >"$pages/haul-aria2.1"
    "$haul" completions bash >"$2/share/bash-completion/completions/haul"
    "$haul" completions zsh >"$2/share/$3/_haul"
    "$haul" completions fish >"$2/share/fish/vendor_completions.d/haul.fish"
}

# settle FOLDER: gives all files the same time and modes that do not depend on the umask.
settle() {
    find "$1" -type d -exec chmod 755 {} +
    find "$1" -type f -perm /111 -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
    find "$1" -exec touch -h -d "@$(epoch)" {} +
}

# archive FOLDER NAME: prints a compressed archive of NAME in this folder, which depends on nothing but the files.
archive() {
    settle "$1/$2"
    tar -C "$1" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner -cf - "$2" | gzip -9n
}

# glibc PROGRAM: prints the oldest version of glibc that it runs with.
glibc() {
    objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | sed -n '$s/GLIBC_//p'
}
