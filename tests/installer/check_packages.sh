#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tests/installer/check_packages.sh [OPTION...] [BUILD-FOLDER]

Makes the Debian packages of a build (default: build/release) and checks them where nothing else is:
in a root of this machine's release, made with debootstrap, they are installed with an older version number, upgraded, run and
purged; then no file may be left that was not there before. Needs root and a mirror of Debian.

  --lint           lintian, too: no errors
  --no-dev         without libtemper-dev, which needs a compiler in that root
  --keep FOLDER    keeps the root in FOLDER, and uses the one that is there
  --mirror URL     of that release (default: http://deb.debian.org/debian)
  --rebuild        builds once more in a second folder, and compares the packages byte by byte
END
}

lint=no dev=yes keep='' mirror=http://deb.debian.org/debian build=$TEMPER_ROOT/build/release
rebuild=no media=no mpi=no python=no
while (($#)); do
    case $1 in
    -h | --help) usage && exit ;;
    --lint) lint=yes ;;
    --no-dev) dev=no ;;
    --keep) keep=$2 && shift ;;
    --mirror) mirror=$2 && shift ;;
    --rebuild) rebuild=yes ;;
    -*) usage >&2 && exit 2 ;;
    *) build=$(realpath "$1") ;;
    esac
    shift
done
((EUID == 0)) || { say "error: this needs root" && exit 1; }
# Packages need the libraries of the release on which they were built.
release=$(codename_in /)
[[ -n $release ]] || { say "error: /etc/os-release names no release of Debian" && exit 1; }

scratch=$(mktemp -d)
root=${keep:-$scratch/root}
failures=0
clean() {
    local mounted
    for mounted in proc dev; do umount "$root/$mounted" 2>/dev/null || true; done
    mountpoint -q "$root/dev" || rm -rf "$scratch"
}
trap clean EXIT

# check WHAT COMMAND...: reports whether the command succeeds; a failure does not end the script.
check() {
    local what=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        say "ok      $what"
    else
        say "FAILED  $what"
        tail -n 20 "$scratch/output" >&2
        failures=$((failures + 1))
    fi
}

# pack FOLDER [VERSION]: makes the packages of the build.
pack() {
    local version=()
    [[ -z ${2:-} ]] || version=(-D "CPACK_PACKAGE_VERSION=$2")
    (cd "$build" && quietly cpack -G DEB -B "$1" "${version[@]}")
    rm -rf "$1/_CPack_Packages"
}

inside() { chroot "$root" env HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 -y --no-install-recommends "$@"; }

make_root() {
    if [[ ! -e $root/etc/debian_version ]]; then
        say "making a root of $release in $root"
        quietly debootstrap --variant=minbase "$release" "$root" "$mirror"
    fi
    [[ $(codename_in "$root") == "$release" ]] || {
        say "error: $root is a root of $(codename_in "$root"), and the packages are for $release"
        exit 1
    }
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    quietly apt update
}

# The files of the root, without records of apt and dpkg, logs and caches.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./root \
        -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log \
        -o -path ./etc/ld.so.cache \) -prune -o -print | sort)
}

# packages_in FOLDER: the packages' paths inside the root.
packages_in() {
    local name names=(temper temper-studio)
    [[ $dev == no ]] || names+=(libtemper1 libtemper-dev)
    [[ $media == no ]] || names+=(temper-studio-media)
    [[ $mpi == no ]] || names+=(temper-mpi)
    [[ $python == no ]] || names+=(python3-temper)
    for name in "${names[@]}"; do (cd "$scratch" && printf '/tmp/%s\n' "$1/${name}"_*.deb); done
}

install_from() {
    local packages
    cp -r "$scratch/$1" "$root/tmp/$1"
    mapfile -t packages < <(packages_in "$1")
    apt install "${packages[@]}"
}

version_is() { [[ $(inside dpkg-query -W -f '${Version}' temper) == "$1" ]]; }

links_little() {
    local libraries
    libraries=$(inside ldd /usr/bin/temper | awk '{ print $1, $3 }')
    echo "$libraries"
    ! grep -qE 'libQt|libX|libxcb|libwayland|libQCustomPlot|libreadline|not' <<<"$libraries"
}

trains_by_python() {
    inside sh -c 'cd /tmp && python3 -m temper --version &&
        python3 -c "import temper; temper.artifacts(\"digits/model.onnx\", head_classes=3)"'
}

trains() { inside sh -c 'cd /tmp && temper demo digits --out digits && ls digits/model.onnx'; }
opens() { inside env QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=/tmp temper-studio --benchmark; }

has_completions() { [[ -s $root/usr/share/bash-completion/completions/temper ]]; }

# In a minbase root dpkg may be set to skip manual pages; the content of the package counts.
has_manual_pages() {
    dpkg-deb -c "$scratch/new/"temper_*.deb >"$scratch/content"
    grep -q man1/temper-train.1.gz "$scratch/content"
}

builds_a_program() {
    cp -r "$TEMPER_ROOT/tests/package/program" "$root/tmp/program" &&
        apt install g++ cmake ninja-build &&
        inside sh -c 'cd /tmp/program && cmake -G Ninja -B b && ninja -C b && ls b/train_digits'
}

builds_a_program_in_c() {
    cp -r "$TEMPER_ROOT/capi/examples/linear" "$root/tmp/linear" && apt install gcc pkg-config &&
        inside sh -c 'cd /tmp/linear && cc linear.c $(pkg-config --cflags --libs temper) -o linear &&
            ./linear linear.onnx && ls linear.onnx'
}

builds_a_plugin() {
    cp -r "$TEMPER_ROOT/plugins/examples/swish" "$root/tmp/swish" &&
        inside sh -c 'cd /tmp/swish && cmake -G Ninja -B b && ninja -C b' &&
        inside env TEMPER_PLUGIN_PATH=/tmp/swish/b temper plugins | grep 'operator com.example.Swish'
}

purge() {
    local packages=(temper temper-studio)
    [[ $dev == no ]] || packages+=(libtemper-dev libtemper1 g++ gcc cmake ninja-build pkg-config)
    [[ $media == no ]] || packages+=(temper-studio-media)
    [[ $mpi == no ]] || packages+=(temper-mpi)
    [[ $python == no ]] || packages+=(python3-temper)
    apt purge "${packages[@]}" && apt autoremove --purge
}

nothing_is_left() {
    files >"$scratch/after"
    diff "$scratch/before" "$scratch/after"
}

lints() {
    lintian --allow-root --fail-on error "$scratch/new/"*.deb
}

# The contents of the packages must not depend on the build folder.
same_from_another_folder() {
    local second=$TEMPER_ROOT/build/second
    (cd "$TEMPER_ROOT" && cmake --preset release -B "$second" -DTEMPER_BUILD_TESTS=OFF) &&
        cmake --build "$second" --target package_inputs &&
        (cd "$second" && cpack -G DEB -B "$scratch/other") &&
        (cd "$scratch/new" && sha256sum ./*.deb) | (cd "$scratch/other" && sha256sum -c)
}

say "making packages"
pack "$scratch/new"
pack "$scratch/old" 0.0.1
compgen -G "$scratch/new/temper-studio-media_*.deb" >/dev/null && media=yes
compgen -G "$scratch/new/temper-mpi_*.deb" >/dev/null && mpi=yes
compgen -G "$scratch/new/python3-temper_*.deb" >/dev/null && python=yes
version=$(dpkg-deb -f "$scratch/new/"temper_*.deb Version)
[[ $lint == no ]] || check "lintian finds no errors" lints
make_root
files >"$scratch/before"
check "version 0.0.1 is installed" install_from old
check "dpkg knows version 0.0.1" version_is 0.0.1
check "it is upgraded to $version" install_from new
check "dpkg knows version $version" version_is "$version"
check "temper --version" inside temper --version
cat "$scratch/output" >&2
check "temper links no Qt, no X, no GPL code" links_little
cat "$scratch/output" >&2
check "temper demo digits" trains
tail -n 8 "$scratch/output" >&2
[[ $python == no ]] || check "the module trains a model in Python" trains_by_python
check "temper-studio --benchmark" opens
tail -n 1 "$scratch/output" >&2
check "completions are there" has_completions
check "manual pages are there" has_manual_pages
[[ $dev == no ]] || check "a program is built with libtemper-dev" builds_a_program
[[ $dev == no ]] || check "a program in C is built, and runs" builds_a_program_in_c
[[ $dev == no ]] || check "a plugin is built with libtemper-dev, and loaded" builds_a_plugin
check "packages are purged" purge
rm -rf "${root:?}"/tmp/*
check "no file is left" nothing_is_left
[[ $rebuild == no ]] || check "a second build gives the same packages" same_from_another_folder
say "$failures failed"
((failures == 0))
