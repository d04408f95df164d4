// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/core/error.h"

namespace temper::test {

/// The Python with NumPy; Debian installs NumPy only for the system's interpreter.
inline const QString kPython = QStringLiteral("/usr/bin/python3");

/// The output of the script; sets `ran` to false if Python or one of its modules is missing.
inline QByteArray runPython(const QString& script, const QStringList& arguments, bool& ran) {
    QProcess process;
    process.start(kPython, QStringList{QStringLiteral("-c"), script} + arguments);
    ran = process.waitForStarted() && process.waitForFinished(60000) && process.exitCode() == 0;
    if (!ran) qInfo("%s", process.readAllStandardError().constData());
    return process.readAllStandardOutput();
}

inline bool hasNumPy() {
    bool ran = false;
    runPython(QStringLiteral("import numpy"), {}, ran);
    return ran;
}

inline std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(QString::fromUtf8(name)).toStdString();
}

inline void writeText(const std::string& path, const QByteArray& content) {
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), qint64{content.size()});
}

/// The message of the Error that `action` throws; empty if it throws none.
inline QString errorOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        const std::string hint = error.hint().empty() ? "" : " | " + error.hint();
        return QString::fromStdString(error.what() + hint);
    }
    return {};
}

}  // namespace temper::test

#define TEMPER_NEEDS_NUMPY() \
    if (!temper::test::hasNumPy()) QSKIP("needs /usr/bin/python3 with NumPy")
