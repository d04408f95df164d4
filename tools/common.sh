# SPDX-License-Identifier: Apache-2.0
# Shared by ./run, ./test and .ci/run; sourced by bash with TEMPER_ROOT set.

say() { printf '%s\n' "$*" >&2; }

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if ((status != 0)); then
        say "failed: $*"
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        say "error: packages have to be installed, and neither is this root nor is there sudo"
        say "  hint: as root: apt-get install --no-install-recommends ${missing[*]}"
        return 1
    fi
}

# codename_in ROOT: the name of the Debian release that is installed there; empty if there is none.
codename_in() {
    sed -n 's/^VERSION_CODENAME="\?\([^"]*\)"\?$/\1/p' "${1%/}/etc/os-release" 2>/dev/null || true
}

# packages_of SECTION...: the packages of these sections of installer/packages.txt, one per line.
packages_of() {
    awk -v wanted=" $* " '
        /^#/ || NF == 0 { next }
        /^\[/ { chosen = index(wanted, " " substr($1, 2, length($1) - 2) " "); next }
        chosen { print $1 }' "$TEMPER_ROOT/installer/packages.txt"
}

is_installed() {
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# install_packages SECTION...: installs those that are missing; silent if none is.
install_packages() {
    command -v apt-get >/dev/null || {
        say "no apt-get here: taking it that the packages of installer/packages.txt are installed"
        return 0
    }
    local package missing=()
    for package in $(packages_of "$@"); do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return 0
    say "Installing ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    quietly as_root "${apt[@]}" update
    quietly as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# configure PRESET [CMAKE-OPTION...]: does nothing if the preset is configured already and no option
# is given; the build notices changed CMake files automatically.
configure() {
    local preset=$1
    shift
    (($# == 0)) && [[ -f $TEMPER_ROOT/build/$preset/build.ninja ]] && return 0
    say "Configuring $preset"
    (cd "$TEMPER_ROOT" && quietly cmake --preset "$preset" "$@")
}

# build PRESET [TARGET...]: silent if nothing has to be done.
build() {
    local preset=$1 targets=()
    shift
    (($# == 0)) || targets=(--target "$@")
    cd "$TEMPER_ROOT" || return
    if ninja -C "build/$preset" -n "$@" 2>/dev/null | grep -q 'no work to do'; then
        return 0
    fi
    say "Building $preset${*:+: $*}"
    cmake --build --preset "$preset" "${targets[@]}"
}

# changed_files PATHSPEC...: files that differ from the main branch; on the main branch itself those
# of the last day before HEAD, the latest first.
changed_files() {
    local base head file
    head=$(git rev-parse HEAD)
    base=$(git merge-base HEAD origin/main 2>/dev/null) || base=$head
    if [[ $base != "$head" ]]; then
        git diff --name-only --diff-filter=d "$base" -- "$@"
    else
        git log --since="$(($(git log -1 --format=%ct) - 86400))" --format= --name-only -- "$@" |
            awk '!seen[$0]++'
    fi | while read -r file; do if [[ -f $file ]]; then echo "$file"; fi; done
}
