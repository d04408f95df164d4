// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <QTest>

namespace temper::test {

class ErrorTest : public QObject {
    Q_OBJECT

private slots:
    void contextPrecedesTheMessageOutermostFirst();
    void assertionNamesItsPlaceAndReason();
    void onlyErrorsAmongFindingsCount();
};

void ErrorTest::contextPrecedesTheMessageOutermostFirst() {
    Error error(ErrorCode::InvalidInput, "x is 3; expected 4.", "Use 4.");
    error.addContext("node 'a'");
    error.addContext("model 'm'");
    QCOMPARE(error.what(), "model 'm': node 'a': x is 3; expected 4.");
    QCOMPARE(error.message(), std::string("x is 3; expected 4."));
    QCOMPARE(error.hint(), std::string("Use 4."));
    QCOMPARE(error.context(), (std::vector<std::string>{"model 'm'", "node 'a'"}));
}

void ErrorTest::assertionNamesItsPlaceAndReason() {
    try {
        TEMPER_ASSERT(1 + 1 == 3, "numbers add up");
        QFAIL("the assertion passed");
    } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::Internal);
        QVERIFY(QString(error.what()).contains("error_test.cpp"));
        QVERIFY(QString(error.what()).contains("numbers add up (1 + 1 == 3)"));
    }
}

void ErrorTest::onlyErrorsAmongFindingsCount() {
    Finding warning;
    warning.severity = Severity::Warning;
    QVERIFY(!hasErrors({warning}));
    QVERIFY(hasErrors({warning, Finding{}}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ErrorTest)
#include "error_test.moc"
