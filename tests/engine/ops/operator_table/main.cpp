// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "tests/engine/ops/operator_table/operator_table.h"

/// Prints docs/operators.md: temper_operator_table CASES VERSIONS. See tools/make_operator_docs.sh.
int main(int argc, char** argv) {
    using namespace temper::test;
    if (argc != 3) {
        std::cerr << "usage: temper_operator_table CASES VERSIONS\n";
        return 2;
    }
    try {
        std::cout << operatorDocument(operatorRows(temper::standardOps()), readCases(argv[1]),
                                      readVersions(argv[2]));
    } catch (const temper::Error& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
