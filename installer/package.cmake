# SPDX-License-Identifier: Apache-2.0
# The CMake package `Temper`: the engine's libraries, the public headers, the configuration.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Temper)

get_property(layers GLOBAL PROPERTY TEMPER_PACKAGED_LAYERS)
install(TARGETS ${layers} EXPORT Temper
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libtemper-dev)
install(EXPORT Temper FILE TemperTargets.cmake NAMESPACE Temper:: DESTINATION ${folder}
        COMPONENT libtemper-dev)

install(CODE "
    set(SOURCE ${CMAKE_SOURCE_DIR})
    set(DESTINATION include/temper)
    include(${CMAKE_CURRENT_SOURCE_DIR}/install_headers.cmake)"
    COMPONENT libtemper-dev)

# The C interface: programs link the library that libtemper1 installs.
install(TARGETS temper_c temper_onnxruntime EXPORT TemperC
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libtemper1
                NAMELINK_COMPONENT libtemper-dev)
install(EXPORT TemperC FILE TemperCTargets.cmake NAMESPACE Temper:: DESTINATION ${folder}
        COMPONENT libtemper-dev)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/capi/include/ DESTINATION include/temper
        COMPONENT libtemper-dev)
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig} /prefix)
foreach(name temper temper-onnxruntime)
    configure_file(${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig}
            COMPONENT libtemper-dev)
endforeach()
temper_install_documents(libtemper1)

configure_package_config_file(TemperConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/TemperConfig.cmake
    INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/TemperConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TemperConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/TemperConfigVersion.cmake
        DESTINATION ${folder} COMPONENT libtemper-dev)
install(FILES ${CMAKE_SOURCE_DIR}/docs/c_api.md ${CMAKE_SOURCE_DIR}/docs/plugins.md
        DESTINATION ${data}/doc/libtemper-dev COMPONENT libtemper-dev)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/capi/examples/ ${CMAKE_SOURCE_DIR}/plugins/examples/
                  ${CMAKE_SOURCE_DIR}/plugins/panels/ ${CMAKE_SOURCE_DIR}/plugins/template
        DESTINATION ${data}/doc/libtemper-dev/examples COMPONENT libtemper-dev
        PATTERN build EXCLUDE)
temper_install_documents(libtemper-dev)
