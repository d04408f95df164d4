// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/training/loss/weighted_losses.h"

using namespace temper;

/// Conversion of sums of losses to tables of terms and back.
class WeightedLossesTest : public QObject {
    Q_OBJECT

private slots:
    void aSumOfLossesIsItsTerms_data() {
        QTest::addColumn<QString>("formula");
        QTest::addColumn<QString>("written");
        QTest::addColumn<int>("terms");
        QTest::newRow("one") << "mse(y)"
                             << "mse(y)" << 1;
        QTest::newRow("one with a target") << "mse( y , t )"
                                           << "mse(y, t)" << 1;
        QTest::newRow("of the documentation")
            << "0.4*mse(out1, target1)+0.6*l1(out2, target2)"
            << "0.4*mse(out1, target1) + 0.6*l1(out2, target2)" << 2;
        QTest::newRow("weight behind") << "mse(a, b)*2"
                                       << "2*mse(a, b)" << 1;
        QTest::newRow("difference") << "mse(a, b) - 0.5*l1(c, d)"
                                    << "mse(a, b) - 0.5*l1(c, d)" << 2;
        QTest::newRow("difference of a sum") << "mse(a) - (l1(b) + 3*l1(c))"
                                             << "mse(a) - l1(b) - 3*l1(c)" << 3;
        QTest::newRow("negative first") << "-mse(a) + l1(b)"
                                        << "-1*mse(a) + l1(b)" << 2;
        QTest::newRow("names in quotes") << R"(0.5*mse("a/b:0", 'say "t"'))"
                                         << R"(0.5*mse("a/b:0", 'say "t"'))" << 1;
    }
    void aSumOfLossesIsItsTerms() {
        QFETCH(QString, formula);
        QFETCH(QString, written);
        QFETCH(int, terms);
        const auto found = asWeightedLosses(parseLoss(formula.toStdString()));
        QVERIFY(found.has_value());
        QCOMPARE(static_cast<int>(found->size()), terms);
        const std::string text = formulaOf(*found);
        QCOMPARE(QString::fromStdString(text), written);
        QVERIFY(asWeightedLosses(parseLoss(text)) == found);
    }

    void otherFormulasAreNotTerms_data() {
        QTest::addColumn<QString>("formula");
        for (const char* formula :
             {"3", "y", "mse(a)*l1(b)", "mse(a)/2", "mse(a, b, reduction=sum)", "l2(weight)",
              "mse(softmax(a), b)", "mse(a) + 1", "cosine_embedding(a, b, t)", "2*3", "mse()"}) {
            QTest::newRow(formula) << formula;
        }
    }
    void otherFormulasAreNotTerms() {
        QFETCH(QString, formula);
        QVERIFY(!asWeightedLosses(parseLoss(formula.toStdString())));
    }

    void noTermsAreNoText() { QVERIFY(formulaOf({}).empty()); }
};

QTEST_APPLESS_MAIN(WeightedLossesTest)
#include "weighted_losses_test.moc"
