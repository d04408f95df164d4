# SPDX-License-Identifier: Apache-2.0
# The date that everything in the packages bears, so that two packages of one commit are the same:
# that of the last commit, or where there is no git, of the list of changes. Sets SOURCE_DATE_EPOCH,
# which cpack, gzip's callers and the manual pages read, unless it is set.
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
