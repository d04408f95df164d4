# SPDX-License-Identifier: Apache-2.0
# Run by the installation of a component, with
#   PACKAGE  its name   VERSION   PREFIX  installation prefix   DATA  share   WORK  a folder
#   PROGRAM  the built program, or ""
# Makes and installs the files that are derived from others: the changelog, manual pages,
# completions.
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/source_date.cmake)
set(ENV{TEMPER_NO_PLUGINS} 1)  # the result must not depend on the user
string(TIMESTAMP DAY "%Y-%m-%d" UTC)
string(TIMESTAMP DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(RANDOM LENGTH 12 own)  # two installations at a time do not conflict
set(WORK ${WORK}/${own})
file(MAKE_DIRECTORY ${WORK})

configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${WORK}/changelog @ONLY)
execute_process(COMMAND gzip -9n ${WORK}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL ${WORK}/changelog.gz DESTINATION ${PREFIX}/${DATA}/doc/${PACKAGE})

if(PROGRAM)
    execute_process(COMMAND ${source}/tools/make_man_pages.sh ${PROGRAM} ${WORK}/man1
                    COMMAND_ERROR_IS_FATAL ANY)
    file(INSTALL ${WORK}/man1 DESTINATION ${PREFIX}/${DATA}/man)
endif()

function(temper_install_completion shell folder name)
    execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${WORK}/${name}
                    COMMAND_ERROR_IS_FATAL ANY)
    file(INSTALL ${WORK}/${name} DESTINATION ${PREFIX}/${DATA}/${folder})
endfunction()
if(PACKAGE STREQUAL "temper")
    temper_install_completion(bash bash-completion/completions temper)
    temper_install_completion(zsh zsh/vendor-completions _temper)
    temper_install_completion(fish fish/vendor_completions.d temper.fish)
endif()
if(PACKAGE STREQUAL "temper-studio")
    set(metainfo temper-studio.metainfo.xml)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${metainfo} ${WORK}/${metainfo} @ONLY)
    file(INSTALL ${WORK}/${metainfo} DESTINATION ${PREFIX}/${DATA}/metainfo)
endif()
file(REMOVE_RECURSE ${WORK})
