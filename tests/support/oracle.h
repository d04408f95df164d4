// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace temper::test {

/// The reason for QSKIP if oracleIsThere() is false.
inline constexpr const char* kOracleAbsent =
    "the real ONNX Runtime is absent: run tests/support/setup_oracle.sh or set TEMPER_ORT_ORACLE";

/// The outcome of a script of the real ONNX Runtime.
struct OracleResult {
    int exitStatus = -1;  ///< 0 success, 1 refused by the runtime, 2 a wrong call, -1 did not run
    QJsonObject output;   ///< its JSON document
    QString log;          ///< errors and the runtime's messages

    bool succeeded() const { return exitStatus == 0; }
};

/// Whether the runtime is installed, in the folder given by the environment variable
/// TEMPER_ORT_ORACLE or in build/ort-oracle.
bool oracleIsThere();

/// Runs a script of tests/support/oracle, such as "train.py"; a relative path in the arguments is
/// relative to the working directory of the test. All calls of a program use one process, which
/// ends with the program; the number of calls is printed then.
OracleResult runOracle(const QString& script, const QStringList& arguments);

}  // namespace temper::test
