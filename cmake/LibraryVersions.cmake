# SPDX-License-Identifier: Apache-2.0
# ONNX_VERSION and dnnl_VERSION, e.g. "1.12.0", or "unknown": for `temper --version` and for tests.
# The engine finds its libraries itself.
find_file(TEMPER_ONNX_VERSION_FILE cmake/ONNX/ONNXConfigVersion.cmake
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib)
find_file(TEMPER_ONEDNN_VERSION_FILE cmake/dnnl/dnnl-config-version.cmake
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib)
function(temper_version_of file result)
    set(PACKAGE_VERSION unknown)
    if(file)
        include(${file})
    endif()
    set(${result} ${PACKAGE_VERSION} PARENT_SCOPE)
endfunction()
temper_version_of("${TEMPER_ONNX_VERSION_FILE}" ONNX_VERSION)
temper_version_of("${TEMPER_ONEDNN_VERSION_FILE}" dnnl_VERSION)
