# SPDX-License-Identifier: Apache-2.0
# One static library per layer. The link graph is the table of layers in docs/architecture.md:
# a layer sees the headers of the layers it lists, directly or through them, and no others.

find_program(TEMPER_CCACHE ccache)
if(TEMPER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TEMPER_CCACHE})
endif()
# lld links the many test programs several times faster than GNU ld.
find_program(TEMPER_LLD ld.lld)
if(TEMPER_LLD)
    add_link_options(-fuse-ld=lld)
endif()
find_package(Threads REQUIRED)

add_library(temper_flags INTERFACE)
target_compile_options(temper_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<BOOL:${TEMPER_WERROR}>:-Werror>
    -ffp-contract=off -fno-math-errno)
target_include_directories(temper_flags INTERFACE ${CMAKE_SOURCE_DIR})
if(TEMPER_SANITIZE)
    target_compile_options(temper_flags INTERFACE
        -fsanitize=${TEMPER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(temper_flags INTERFACE -fsanitize=${TEMPER_SANITIZE})
endif()

# temper_layer(name SOURCES a.cpp ... [DEPENDS core ir ...] [LIBRARIES libfoo ...] [INTERNAL])
# makes the static library temper_<name>, which the installed package calls Temper::<name>.
# LIBRARIES are third-party and private to the layer; installer/TemperConfig.cmake.in finds those
# that are targets. INTERNAL: the layer is no part of the installed package.
function(temper_layer name)
    cmake_parse_arguments(LAYER "INTERNAL" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
    add_library(temper_${name} STATIC ${LAYER_SOURCES})
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
