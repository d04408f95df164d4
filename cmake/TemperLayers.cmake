# SPDX-License-Identifier: Apache-2.0
# One library per layer. The link graph is the table of layers in docs/architecture.md: a layer sees
# only the headers of the layers it lists, directly or through them.

find_program(TEMPER_CCACHE ccache)
if(TEMPER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/cmake/with_ccache.sh ${TEMPER_CCACHE})
endif()
# lld links the many test programs several times faster than GNU ld.
find_program(TEMPER_LLD ld.lld)
if(TEMPER_LLD)
    add_link_options(-fuse-ld=lld)
endif()
find_package(Threads REQUIRED)
include(TemperHardening)

add_library(temper_flags INTERFACE)
target_compile_options(temper_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<BOOL:${TEMPER_WERROR}>:-Werror>
    -ffp-contract=off -fno-math-errno
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    # In a heap that begins with a precompiled header, GCC spends a tenth of its time on garbage.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
    # With precompiled headers GCC 12 warns about std::string's own code (its bugs 105329, 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# Graphs refuse to read nodes and values after their removal.
target_compile_definitions(temper_flags INTERFACE $<$<CONFIG:Debug>:TEMPER_CHECK_GRAPHS>)
target_include_directories(temper_flags INTERFACE ${CMAKE_SOURCE_DIR})
if(TEMPER_SANITIZE)
    target_compile_options(temper_flags INTERFACE
        -fsanitize=${TEMPER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(temper_flags INTERFACE -fsanitize=${TEMPER_SANITIZE})
endif()

# The standard library's headers take longer to read than most of our sources: the layers share one
# precompiled header of them, which the lowest layer builds; those optimized for size share another.
set(TEMPER_PRECOMPILED_HEADERS
    <algorithm> <array> <atomic> <chrono> <cmath> <cstddef> <cstdint> <cstring> <filesystem>
    <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream>
    <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# temper_layer(name [DEPENDS core ir ...] [LIBRARIES libfoo ...] [INTERNAL] [JOINT] [SMALL]
#              [HEADERS engine/b.h ...] [GENERATED a.h ...])
# makes the library temper_<name>, which the installed package calls Temper::<name>, of all sources
# in the current folder and below it: a static one, or with TEMPER_SHARED_LAYERS a shared one.
# LIBRARIES are third-party and private to the layer; installer/TemperConfig.cmake.in looks for each
# of them. INTERNAL: the layer is not part of the installed package. JOINT: its sources are compiled
# in groups, so names in their unnamed namespaces have to differ. SMALL: what it computes takes no
# time that anyone notices, so it is optimized for size (half the code). HEADERS: our headers that
# most of its sources include; they are in its precompiled header, too. GENERATED: sources made by
# the build.
function(temper_layer name)
    cmake_parse_arguments(LAYER "INTERNAL;JOINT;SMALL" ""
                          "DEPENDS;LIBRARIES;HEADERS;GENERATED" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
    if(TEMPER_SHARED_LAYERS)
        add_library(temper_${name} SHARED ${sources} ${LAYER_GENERATED})
        # Nothing reads CMake's macro for shared libraries, and it would make precompiled headers
        # differ.
        set_target_properties(temper_${name} PROPERTIES DEFINE_SYMBOL "")
    else()
        add_library(temper_${name} STATIC ${sources} ${LAYER_GENERATED})
    endif()
    if(LAYER_JOINT)
        set_target_properties(temper_${name} PROPERTIES
                              UNITY_BUILD ${TEMPER_JOINT_SOURCES} UNITY_BUILD_BATCH_SIZE 8)
    endif()
    if(LAYER_INTERNAL)
        temper_forget_folders(temper_${name})
    else()
        temper_harden(temper_${name})
    endif()
    set(precompiled_by core)
    if(LAYER_SMALL)
        target_compile_options(temper_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
        # A compiler refuses headers that were precompiled with other optimizations. The lowest of
        # these layers builds theirs.
        set(precompiled_by spec)
    endif()
    list(TRANSFORM LAYER_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/)
    if(LAYER_HEADERS OR name STREQUAL precompiled_by)
        target_precompile_headers(temper_${name} PRIVATE
            ${TEMPER_PRECOMPILED_HEADERS} ${LAYER_HEADERS})
    elseif(NOT LAYER_INTERNAL)
        target_precompile_headers(temper_${name} REUSE_FROM temper_${precompiled_by})
    endif()
    list(TRANSFORM LAYER_DEPENDS PREPEND temper_)
    target_link_libraries(temper_${name}
        PUBLIC $<BUILD_INTERFACE:temper_flags> Threads::Threads ${LAYER_DEPENDS}
        PRIVATE ${LAYER_LIBRARIES})
    if(LAYER_INTERNAL)
        return()
    endif()
    set_target_properties(temper_${name} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(temper_${name} INTERFACE cxx_std_20)
    target_include_directories(temper_${name} INTERFACE $<INSTALL_INTERFACE:include/temper>)
    set_property(GLOBAL APPEND PROPERTY TEMPER_PACKAGED_LAYERS temper_${name})
endfunction()
