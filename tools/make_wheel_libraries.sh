#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
TEMPER_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$TEMPER_ROOT/tools/common.sh"

usage() {
    cat <<'END'
usage: tools/make_wheel_libraries.sh FOLDER

Makes static libraries for wheels, which contain what they need, from Debian's sources: oneDNN with
products and float32 convolutions only, libzip without encryption and cpp-httplib without TLS. What uses
them: pip wheel . -C cmake.define.CMAKE_PREFIX_PATH=FOLDER; see docs/decisions/038-wheel.md.

Libraries that FOLDER has already are kept. Needs dpkg-dev and the packages of the section [build]
of installer/packages.txt.

Environment:
  TEMPER_ONEDNN_SOURCE   a folder with oneDNN's source, of the version whose headers are installed
END
}

case ${1:-} in
-h | --help) usage && exit ;;
-* | '') usage >&2 && exit 2 ;;
esac
mkdir -p "$1"
folder=$(realpath "$1")
mkdir -p "$folder/lib/pkgconfig" "$folder/source/apt/lists/partial"
cd "$folder/source"

# The module exports nothing of them, and leaves out what it does not call.
flags="-fPIC -fvisibility=hidden -ffunction-sections -fdata-sections"

# get_source PACKAGE: sets source to the folder of its source, which is that of the installed release.
get_source() {
    local release key=/usr/share/keyrings/debian-archive-keyring.gpg
    source=$(find . -maxdepth 1 -type d -name "$1-*" -print -quit)
    [[ -z $source ]] || return 0
    release=$(codename_in /)
    echo "deb-src [signed-by=$key] http://deb.debian.org/debian $release main" >apt/sources.list
    local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/apt/sources.list"
        -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$PWD/apt/lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    quietly "${apt[@]}" update
    quietly "${apt[@]}" source "$1"
    source=$(find . -maxdepth 1 -type d -name "$1-*" -print -quit)
}

# build SOURCE NAME [CMAKE-OPTION...]: in the folder NAME.
build() {
    local source=$1 name=$2
    shift 2
    say "Building $name"
    quietly cmake -S "$source" -B "$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags -fvisibility-inlines-hidden" "$@"
    quietly cmake --build "$name"
}

# keep_float32 SOURCE: removes the convolutions and conversions of other types, which Temper does not
# use, from oneDNN's lists; what only they need is then left out of the module.
keep_float32() {
    python3 - "$1/src/cpu" <<'END'
import pathlib, re, sys

ROWS = {
    "cpu_convolution_list.cpp":
        r"^ *\{\{(forward|backward_data|backward_weights)(?!, f32, f32, f32\}), [^}]*\}, .*?"
        r"nullptr,\n *\}\)?\},\n",
    "reorder/cpu_reorder.cpp": r"^ *\{\{(?!f32, f32, 0\})[^}]*, 0\}, &\w+\(\)\},\n",
}
for name, row in ROWS.items():
    path = pathlib.Path(sys.argv[1]) / name
    text, removed = re.subn(row, "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    path.write_text(text)
    if not removed:
        print(f"note: nothing of {name} could be left out", file=sys.stderr)
END
}

version_in() { sed -n 's/^#define \(DNNL_VERSION_[MP][A-Z]* [0-9]*\)$/\1/p' "$1"; }

make_onednn() {
    if [[ -n ${TEMPER_ONEDNN_SOURCE:-} ]]; then
        source=onednn-source
        rm -rf "$source"
        cp -r "$TEMPER_ONEDNN_SOURCE" "$source"
    else
        get_source onednn
    fi
    keep_float32 "$source"
    build "$source" onednn -DDNNL_LIBRARY_TYPE=STATIC -DDNNL_CPU_RUNTIME=OMP \
        -DDNNL_GPU_RUNTIME=NONE "-DDNNL_ENABLE_PRIMITIVE=CONVOLUTION;REORDER" \
        -DDNNL_ENABLE_JIT_PROFILING=OFF -DDNNL_ENABLE_ITT_TASKS=OFF -DDNNL_BUILD_TESTS=OFF \
        -DDNNL_BUILD_EXAMPLES=OFF -DDNNL_ARCH_OPT_FLAGS=
    [[ $(version_in onednn/include/oneapi/dnnl/dnnl_version.h) == \
        "$(version_in /usr/include/oneapi/dnnl/dnnl_version.h)" ]] || {
        say "error: this oneDNN has another version than the headers of libdnnl-dev"
        exit 1
    }
    cp onednn/src/libdnnl.a "$folder/lib"
}

make_libzip() {
    get_source libzip
    build "$source" libzip -DBUILD_SHARED_LIBS=OFF -DENABLE_GNUTLS=OFF -DENABLE_OPENSSL=OFF \
        -DENABLE_MBEDTLS=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF \
        -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
    quietly cmake --install libzip --prefix "$folder"
}

make_httplib() {
    get_source cpp-httplib
    say "Building cpp-httplib"
    mkdir -p "$folder/include"
    # It finds its header only beside its own path.
    (cd "$source" && quietly python3 "$PWD/split.py" -o "$folder/source/httplib")
    # shellcheck disable=SC2086
    g++ -std=c++17 -O2 -DNDEBUG $flags -fvisibility-inlines-hidden -DCPPHTTPLIB_ZLIB_SUPPORT \
        -c httplib/httplib.cc -o httplib/httplib.o
    ar rcs "$folder/lib/libcpp-httplib.a" httplib/httplib.o
    cp httplib/httplib.h "$folder/include"
    cat >"$folder/lib/pkgconfig/cpp-httplib.pc" <<END
Name: cpp-httplib
Description: without TLS
Version: $(basename "$source" | sed 's/^cpp-httplib-//; s/+.*//')
Libs: -L$folder/lib -lcpp-httplib
Cflags: -I$folder/include -DCPPHTTPLIB_ZLIB_SUPPORT
END
}

[[ -f $folder/lib/libdnnl.a ]] || make_onednn
[[ -f $folder/lib/libzip.a ]] || make_libzip
[[ -f $folder/lib/libcpp-httplib.a ]] || make_httplib
