#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# with_ccache.sh CCACHE COMPILER ARGUMENT...: compiles through the cache. Precompiled headers need
# the sloppiness, as its manual says. A precompiled header to be rebuilt must not exist: the cache
# would take it for what is included instead of the changed headers, and return an old result.
for output; do
    case $output in
    *.gch) rm -f "$output" ;;
    esac
done
CCACHE_SLOPPINESS=pch_defines,time_macros exec "$@"
