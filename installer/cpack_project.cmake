# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each generator.
include(${CMAKE_CURRENT_LIST_DIR}/source_date.cmake)
if(CPACK_GENERATOR STREQUAL "TGZ")
    set(CPACK_PACKAGING_INSTALL_PREFIX "/")
endif()
