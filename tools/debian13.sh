#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

root=${TEMPER_DEBIAN13_ROOT:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/temper/debian13}
# The release whose Qt, oneDNN and libonnx are tried in addition to the host's.
suite=trixie

usage() {
    cat <<END
usage: tools/debian13.sh COMMAND [ARGUMENT...]
       tools/debian13.sh --exists

Runs a command in this source tree on Debian 13, in a root of its own that debootstrap makes the
first time and that is kept:

  tools/debian13.sh ./test             builds Temper there and runs its tests
  tools/debian13.sh bash               a shell there

There, the tree is /temper/source, whatever its path is here, so that all trees share the compiler
cache. The build folder is the root's own, one for each tree (this tree's build/ is hidden meanwhile).
--exists: ends with 0 if the root is made already. Needs debootstrap and unshare, as root.

Environment:
  TEMPER_DEBIAN13_ROOT   the folder of the root (now $root)
  TEMPER_DEBIAN_MIRROR   where packages come from (default: the host's)

What else is in the environment and starts with TEMPER_ or CTEST_ is passed on.
END
}

# The first address from which this machine gets its own packages.
host_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' |
        grep -oE 'https?://[^ ]+/debian/?([[:space:]]|$)' | head -n 1 | tr -d '[:space:]'
}

is_made() { [[ -f $root/temper/made ]]; }

make_root() {
    local mirror=${TEMPER_DEBIAN_MIRROR:-$(host_mirror)}
    say "Making a root of Debian 13 in $root"
    mkdir -p "$root"
    quietly debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" \
        "${mirror:-http://deb.debian.org/debian}"
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)' \
        >"$root/etc/apt/apt.conf.d/90host" || true  # it may have neither
    mkdir -p "$root/temper/source" "$root/temper/builds" "$root/temper/ccache"
    touch "$root/temper/made"
}

# enter COMMAND...: in separate namespaces, so that no mount is left.
enter() {
    local -a passed
    mapfile -t passed < <(env | grep -E '^(TEMPER|CTEST)_[A-Z0-9_]*=' || true)
    # Two trees never share a build folder: files of one may be newer than objects of the other.
    local build=$root/temper/builds/${TEMPER_ROOT//\//+}
    mkdir -p "$root/temper/source" "$build" "$TEMPER_ROOT/build"
    root=$root tree=$TEMPER_ROOT build=$build unshare --mount --propagation private bash -c '
        set -e
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --bind "$tree" "$root/temper/source"
        mount --bind "$build" "$root/temper/source/build"
        if [[ -f /etc/resolv.conf ]]; then cp -L /etc/resolv.conf "$root/etc/resolv.conf"; fi
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" CCACHE_DIR=/temper/ccache \
            bash -c "cd /temper/source && exec env \"\$@\"" _ "$@"
        ' _ "${passed[@]}" "$@"
}

case ${1:-} in
-h | --help) usage && exit ;;
--exists)
    is_made
    exit
    ;;
'') usage >&2 && exit 2 ;;
esac

for program in debootstrap unshare chroot; do
    command -v "$program" >/dev/null || {
        say "error: $program is not installed"
        say "  hint: apt-get install debootstrap util-linux coreutils"
        exit 3
    }
done
((EUID == 0)) || {
    say "error: a root for Debian 13 can only be made and entered by the user root"
    exit 3
}
is_made || make_root
enter "$@"
