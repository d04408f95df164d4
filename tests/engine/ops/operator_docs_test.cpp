// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTest>

#include "tests/engine/ops/operator_table/operator_table.h"

using namespace temper::test;

/// docs/operators.md compared with the existing operators.
class OperatorDocsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theDocumentHasEveryOperatorAndItsGradient();
    void atLeast165OperatorsOfOnnxHaveGradients();

private:
    std::vector<OperatorRow> rows_;
    std::string document_;
};

void OperatorDocsTest::initTestCase() {
    rows_ = operatorRows(temper::standardOps());
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/docs/operators.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    document_ = file.readAll().toStdString();
}

void OperatorDocsTest::theDocumentHasEveryOperatorAndItsGradient() {
    std::map<std::string, std::string> documented = documentedGradients(document_);
    QStringList problems;
    for (const OperatorRow& row : rows_) {
        const std::string expected = row.forward + "; " + row.gradient;
        const auto found = documented.find(row.qualifiedOp());
        if (found == documented.end()) {
            problems << QString::fromStdString(row.qualifiedOp()) + " is missing";
            continue;
        }
        if (found->second != expected) {
            problems << QString::fromStdString(row.qualifiedOp() + " is '" + expected + "', not '" +
                                               found->second + "'");
        }
        documented.erase(found);
    }
    for (const auto& entry : documented) {
        problems << QString::fromStdString(entry.first) + " is not there any more";
    }
    QVERIFY2(problems.isEmpty(),
             qPrintable("run tools/make_operator_docs.sh:\n" + problems.join('\n')));
}

void OperatorDocsTest::atLeast165OperatorsOfOnnxHaveGradients() {
    const auto count = std::count_if(rows_.begin(), rows_.end(), [](const OperatorRow& row) {
        return row.domain.empty() && row.hasGradient();
    });
    QVERIFY2(count >= 165, qPrintable(QString::number(count)));
}

QTEST_APPLESS_MAIN(OperatorDocsTest)
#include "operator_docs_test.moc"
