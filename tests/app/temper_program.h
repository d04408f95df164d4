// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace temper::test {

/// The outcome of a run of the program `temper`.
struct ProgramResult {
    int exitStatus = -1;  ///< -1: it crashed or did not end
    QByteArray out;
    QByteArray err;

    /// The single JSON document on standard output; empty if there is none.
    QJsonObject json() const;
    /// For QVERIFY2.
    QByteArray all() const;
};

/// Runs `temper` with these arguments in `folder`.
ProgramResult runTemper(const QStringList& arguments, const QString& folder = {});

/// Runs a shell command line in which $TEMPER is the program.
ProgramResult runShell(const QString& command, const QString& folder = {});

/// Returns: false, having done nothing, if the program has ended. (Process 0 would be all of this
/// test's group, and the program that runs the tests.)
bool sendSignal(const QProcess& process, int signal);

/// "error: ..." at the start, perhaps after warnings, and no trace of a crash.
bool isFriendlyError(const ProgramResult& result);

/// A path below the conformance data (tests/data/conformance).
QString conformance(const QString& path);

}  // namespace temper::test
