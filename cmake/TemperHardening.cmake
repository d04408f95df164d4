# SPDX-License-Identifier: Apache-2.0
# Options that make memory errors harder to exploit and keep the build folder out of the programs;
# docs/decisions/010-hardening.md states their costs. Debian's compiler uses PIE and RELRO anyway:
# they are named here so that other compilers use them too.
set(TEMPER_NO_FOLDERS
    -ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/ -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
set(TEMPER_HARDENING -fstack-protector-strong ${TEMPER_NO_FOLDERS})
# The layers are linked into the programs and into the Python module. Hidden: calls within one of
# these stay as direct as in a position-independent program. A section for each function: what a
# program does not call is left out of it.
set(TEMPER_RELOCATABLE "")
if(NOT TEMPER_SHARED_LAYERS)
    set(TEMPER_RELOCATABLE -fPIC -fvisibility=hidden -ffunction-sections)
endif()
list(APPEND TEMPER_HARDENING ${TEMPER_RELOCATABLE})
if(NOT TEMPER_SANITIZE)
    # It needs optimization, and sanitizers have their own checks.
    list(APPEND TEMPER_HARDENING
         "$<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

# Relocations as a bit map are a twentieth of a program's size less.
include(CheckCXXSourceCompiles)
get_directory_property(linking LINK_OPTIONS)
set(CMAKE_REQUIRED_LINK_OPTIONS ${linking} LINKER:-z,pack-relative-relocs)
check_cxx_source_compiles("int main() {}" TEMPER_PACKS_RELOCATIONS
                          FAIL_REGEX "unknown|unrecognized|ignored")
unset(CMAKE_REQUIRED_LINK_OPTIONS)

# temper_forget_folders(target): its assertions name their sources relative to the repository.
function(temper_forget_folders target)
    if(TEMPER_HARDENED)
        target_compile_options(${target} PRIVATE ${TEMPER_NO_FOLDERS})
    endif()
endfunction()

# temper_harden(target) for the programs and for the layers below them, which read untrusted files.
# The window's own code has no such checks, the tests' code none at all.
function(temper_harden target)
    if(TEMPER_HARDENED)
        target_compile_options(${target} PRIVATE ${TEMPER_HARDENING})
    else()
        target_compile_options(${target} PRIVATE ${TEMPER_RELOCATABLE})
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
        target_link_options(${target} PRIVATE -pie LINKER:-z,relro,-z,now LINKER:--gc-sections
                            $<$<BOOL:${TEMPER_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>
                            # Functions of the same code become one: a twentieth of the size.
                            $<$<AND:$<BOOL:${TEMPER_LLD}>,$<CONFIG:Release>>:LINKER:--icf=all>)
    endif()
endfunction()
