// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace temper::test {

/// Reason for QSKIP where oracleIsThere() is false.
inline constexpr const char* kOracleAbsent =
    "the real ONNX Runtime is absent: run tests/support/setup_oracle.sh or set TEMPER_ORT_ORACLE";

/// What a script of the real ONNX Runtime said.
struct OracleResult {
    int exitStatus = -1;  ///< 0 success, 1 the runtime refused, 2 a wrong call, -1 did not run
    QJsonObject output;   ///< its JSON document
    QString log;          ///< errors and the runtime's messages

    bool succeeded() const { return exitStatus == 0; }
};

/// Whether the scripts and their runtime are installed, in the folder that the environment
/// variable TEMPER_ORT_ORACLE names or in build/ort-oracle.
bool oracleIsThere();

/// Runs a script of the oracle, "train.py" for example; a relative path in the arguments is
/// relative to the working directory of the test. All calls of a program go to one process, which
/// ends with it; how many there were is printed then.
OracleResult runOracle(const QString& script, const QStringList& arguments);

}  // namespace temper::test
