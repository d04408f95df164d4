# SPDX-License-Identifier: Apache-2.0
# The packages: one for each component, or with -G TGZ one archive.
set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cpack_project.cmake)
set(CPACK_PACKAGE_NAME temper)
set(CPACK_PACKAGE_VENDOR "The Temper developers")
set(CPACK_PACKAGE_CONTACT "The Temper developers <developers@temper.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL temper temper-studio libtemper1 libtemper-dev)
if(NOT TARGET temper-studio)
    list(REMOVE_ITEM CPACK_COMPONENTS_ALL temper-studio)
endif()
if(TARGET media)
    list(APPEND CPACK_COMPONENTS_ALL temper-studio-media)
endif()
if(TARGET temper_mpi)
    list(APPEND CPACK_COMPONENTS_ALL temper-mpi)
endif()
if(TARGET _temper)
    list(APPEND CPACK_COMPONENTS_ALL python3-temper)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SOURCE temper)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TEMPER_PACKAGE_NAME temper)
set(CPACK_DEBIAN_TEMPER_PACKAGE_SUGGESTS "temper-studio, temper-mpi")
set(CPACK_COMPONENT_TEMPER_DESCRIPTION
    "command line that trains ONNX models
Generates training artifacts from a forward model, trains it on its own
engine, evaluates and exports it. Compatible with the artifacts and
checkpoints of ONNX Runtime.")

set(CPACK_DEBIAN_TEMPER-STUDIO_PACKAGE_NAME temper-studio)
set(CPACK_DEBIAN_TEMPER-STUDIO_PACKAGE_RECOMMENDS "temper, qt6-translations-l10n, qt6-wayland")
set(CPACK_DEBIAN_TEMPER-STUDIO_PACKAGE_SUGGESTS temper-studio-media)
set(CPACK_COMPONENT_TEMPER-STUDIO_DESCRIPTION
    "studio that trains ONNX models in a window
Looks into models, chooses what trains, binds data, shows the training
live, keeps checkpoints and exports models for inference.")

# Its interface is the studio's own, so both are of one build.
set(CPACK_DEBIAN_TEMPER-STUDIO-MEDIA_PACKAGE_NAME temper-studio-media)
set(CPACK_DEBIAN_TEMPER-STUDIO-MEDIA_PACKAGE_DEPENDS "temper-studio (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_TEMPER-STUDIO-MEDIA_DESCRIPTION
    "camera and microphone for temper-studio
Lets models look at pictures from a camera and listen to sounds from a
microphone. Uses Qt Multimedia.")

# Its interface is that of the program, so both are of one build.
set(CPACK_DEBIAN_TEMPER-MPI_PACKAGE_NAME temper-mpi)
set(CPACK_DEBIAN_TEMPER-MPI_PACKAGE_DEPENDS "temper (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_COMPONENT_TEMPER-MPI_DESCRIPTION
    "training on several processes for temper
Lets temper train on several processes and machines at once, which
exchange their gradients over MPI.")

set(CPACK_DEBIAN_LIBTEMPER1_PACKAGE_NAME libtemper1)
set(CPACK_DEBIAN_LIBTEMPER1_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBTEMPER1_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/libtemper1/shlibs;\
${CMAKE_CURRENT_SOURCE_DIR}/libtemper1/triggers")
set(CPACK_COMPONENT_LIBTEMPER1_DESCRIPTION
    "engine that trains ONNX models, for C
The engine of temper as a shared library with a C interface, for
programs in C and in languages that call C.")

# The packages that TemperConfig.cmake looks for; tests/installer compares them with the list of
# packages that the build needs.
set(CPACK_DEBIAN_LIBTEMPER-DEV_PACKAGE_NAME libtemper-dev)
set(CPACK_DEBIAN_LIBTEMPER-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBTEMPER-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBTEMPER-DEV_PACKAGE_DEPENDS
    "libtemper1 (= ${PROJECT_VERSION}), libcsv-dev, libdnnl-dev, libhwy-dev, libjpeg62-turbo-dev, libonnx-dev, libpng-dev, \
libcpp-httplib-dev, libprotobuf-dev, libre2-dev, libsqlite3-dev, libwebp-dev, libzip-dev, pkg-config, zlib1g-dev")
set(CPACK_COMPONENT_LIBTEMPER-DEV_DESCRIPTION
    "engine that trains ONNX models, for C and C++
The engine of temper as static libraries with headers and a CMake
package, and the header of its C interface.")

# The module loads in one version of Python.
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" python_version "${TEMPER_PYTHON_VERSION}")
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_NAME python3-temper)
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_SECTION python)
math(EXPR next_minor "0${CMAKE_MATCH_2} + 1")
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_DEPENDS
    "temper (= ${PROJECT_VERSION}), python3-numpy, \
python3 (>= ${python_version}~), python3 (<< ${CMAKE_MATCH_1}.${next_minor})")
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_RECOMMENDS python3-onnx)
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_SUGGESTS temper-studio)
set(CPACK_DEBIAN_PYTHON3-TEMPER_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/python3-temper/postinst;\
${CMAKE_CURRENT_SOURCE_DIR}/python3-temper/prerm")
set(CPACK_COMPONENT_PYTHON3-TEMPER_DESCRIPTION
    "engine that trains ONNX models, for Python
The module temper: artifacts, training, evaluation and export, with
ONNX Runtime's training API beside its own.")
include(CPack)
