# SPDX-License-Identifier: Apache-2.0
# cmake -DNAMES=a_test;b_test -DSOURCES=/x/a_test.cpp;/x/b_test.cpp -DROOT=/x -DOUTPUT=joint.cpp
#       -P join_tests.cmake
# writes a source that includes all of SOURCES and runs the test of NAMES by whose name it was
# called. Each is in its own namespace, and so is its main(). Headers are included before, outside
# of these namespaces; they all have `#pragma once`, so that the sources' own lines then do nothing.
set(includes "")
set(tests "")
set(calls "")
foreach(name source IN ZIP_LISTS NAMES SOURCES)
    file(STRINGS ${source} lines REGEX "^#include ")
    list(FILTER lines EXCLUDE REGEX "\\.moc\"")
    list(APPEND includes ${lines})
    file(RELATIVE_PATH source ${ROOT} ${source})
    string(APPEND tests "
namespace ${name}_program {
namespace temper {
using namespace ::temper;
namespace test {
using namespace ::temper::test;
}
namespace ui {
using namespace ::temper::ui;
}
}
#include \"${source}\"
}
")
    string(APPEND calls "    if (name == \"${name}\") return ${name}_program::main(count, arguments);\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
list(JOIN NAMES " " names)

file(WRITE ${OUTPUT} "${includes}

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

// What moc's output includes, which depends on Qt's version.
#if __has_include(<QtCore/qtmochelpers.h>)
#include <QtCore/qtmochelpers.h>
#endif
#if __has_include(<QtCore/qxptype_traits.h>)
#include <QtCore/qxptype_traits.h>
#endif

#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
// QTRY_VERIFY_WITH_TIMEOUT narrows a duration there.
#pragma GCC diagnostic ignored \"-Wconversion\"
#endif

namespace temper::test {}
namespace temper::ui {}
${tests}
static int runTest(const std::string& name, int count, char** arguments) {
${calls}    std::fprintf(stderr, \"this program runs under these names: ${names}\\n\");
    return 2;
}

int main(int count, char** arguments) {
    const std::string name = std::filesystem::path(arguments[0]).filename().string();
    const int status = runTest(name, count, arguments);
#if defined(__SANITIZE_ADDRESS__)
    // The thread with which Qt Test watches over a test frees its data a moment after it was waited
    // for. Without that moment its data is a leak now and then.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
#endif
    return status;
}
")
