// SPDX-License-Identifier: Apache-2.0
#include "engine/core/caught_error.h"

#include <QTest>
#include <functional>
#include <new>
#include <stdexcept>

namespace temper::test {

using Work = std::function<void()>;

class CaughtErrorTest : public QObject {
    Q_OBJECT

private slots:
    void whatWasThrownIsToldInWords_data() {
        QTest::addColumn<Work>("work");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("hint");
        const auto row = [](const char* name, Work work, ErrorCode code, const char* message,
                            const char* hint) {
            QTest::newRow(name) << std::move(work) << code << message << hint;
        };
        row(
            "an error", [] { throw Error(ErrorCode::NotFound, "x is missing.", "Add x."); },
            ErrorCode::NotFound, "x is missing.", "Add x.");
        row(
            "no memory", [] { throw std::bad_alloc(); }, ErrorCode::Io, "Not enough memory.",
            "Use a smaller batch, or a machine with more memory.");
        row(
            "any other", [] { throw std::out_of_range("index 3"); }, ErrorCode::Internal,
            "Internal error: index 3",
            "This is a bug in Temper; please report it with the command.");
    }
    void whatWasThrownIsToldInWords() {
        QFETCH(Work, work);
        QFETCH(ErrorCode, code);
        QFETCH(QString, message);
        QFETCH(QString, hint);
        try {
            work();
            QFAIL("nothing was thrown");
        } catch (...) {
            const Error error = caughtError();
            QVERIFY(error.code() == code);
            QCOMPARE(QString(error.what()), message);
            QCOMPARE(QString::fromStdString(error.hint()), hint);
        }
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CaughtErrorTest)
#include "caught_error_test.moc"
