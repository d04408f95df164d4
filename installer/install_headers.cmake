# SPDX-License-Identifier: Apache-2.0
# Installs the public headers: those of installer/include and all that they include, under their
# paths in the source tree.
#   SOURCE  root of the source tree       DESTINATION  folder under the prefix
cmake_policy(VERSION 3.25)
set(own ${SOURCE}/installer/include)
file(INSTALL ${own}/ DESTINATION ${CMAKE_INSTALL_PREFIX}/${DESTINATION})
file(GLOB_RECURSE waiting ${own}/*.h)
set(headers "")
while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS ${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
        if(NOT included IN_LIST headers)
            list(APPEND headers ${included})
            list(APPEND waiting ${SOURCE}/${included})
        endif()
    endforeach()
endwhile()
foreach(header IN LISTS headers)
    get_filename_component(folder ${header} DIRECTORY)
    file(INSTALL ${SOURCE}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${DESTINATION}/${folder})
endforeach()
