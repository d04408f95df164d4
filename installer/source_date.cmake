# SPDX-License-Identifier: Apache-2.0
# The date of everything in the packages, so that two packages from one commit are the same: the
# date of the last commit or, without git, of the changelog. Sets SOURCE_DATE_EPOCH, which cpack,
# gzip's callers and the manual pages read, unless it is set.
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    set(seconds "")
    find_program(TEMPER_GIT git)
    if(TEMPER_GIT)
        execute_process(COMMAND ${TEMPER_GIT} -C ${source} log -1 --format=%ct
                        OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    if(NOT seconds)
        file(TIMESTAMP ${source}/installer/changelog.in seconds "%s" UTC)
    endif()
    set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()
