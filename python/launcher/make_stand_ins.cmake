# SPDX-License-Identifier: Apache-2.0
# cmake -D NM=... -D MODULE=... -D OUTPUT=... -P make_stand_ins.cmake: writes a C source that defines
# the names of Python that a module needs to be loaded; see launcher.cpp.
execute_process(COMMAND ${NM} -D --undefined-only ${MODULE} OUTPUT_VARIABLE names
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "U _?Py[A-Za-z0-9_]+" names "${names}")
set(source "")
foreach(name IN LISTS names)
    string(REPLACE "U " "" name "${name}")
    string(APPEND source "char ${name}[16];\n")
endforeach()
file(WRITE ${OUTPUT} "${source}")
