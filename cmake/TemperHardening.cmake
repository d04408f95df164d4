# SPDX-License-Identifier: Apache-2.0
# What makes faults of memory harder to use, and results that do not tell where they were built;
# docs/packaging.md has what it costs. PIE and RELRO are what Debian's compiler does anyway: here
# they are asked for, so that other compilers do the same.
set(TEMPER_HARDENING -fstack-protector-strong
    -ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/ -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(NOT TEMPER_SHARED_LAYERS)
    list(APPEND TEMPER_HARDENING -fPIE)
endif()
if(NOT TEMPER_SANITIZE)
    # It needs optimization, and sanitizers have checks of their own.
    list(APPEND TEMPER_HARDENING
         "$<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

# temper_harden(target) for the programs and for the layers below them, which read files of others
# and name their sources in assertions. The window's own code and the tests' go without.
function(temper_harden target)
    if(TEMPER_HARDENED)
        target_compile_options(${target} PRIVATE ${TEMPER_HARDENING})
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
        target_link_options(${target} PRIVATE -pie LINKER:-z,relro,-z,now LINKER:--gc-sections)
    endif()
endfunction()
