// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/loss_cases.h"
#include "tests/support/oracle.h"

namespace temper::test {

/// The real ONNX Runtime runs each loss and its gradients.
class OracleLossTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void lossesAndGradientsAreTheSameThere_data() { addLossRows(); }
    void lossesAndGradientsAreTheSameThere();
};

void OracleLossTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleLossTest::lossesAndGradientsAreTheSameThere() {
    QFETCH(int, index);
    const LossCase& one = lossCases()[size_t(index)];
    const QTemporaryDir folder;
    const Artifacts artifacts = generateArtifacts(*one.model(), *allOps(), one.spec());
    saveArtifacts(artifacts, folder.path().toStdString(), one.spec());
    writeNpz(folder.filePath("feeds.npz").toStdString(), one.feeds());
    const std::string loss = "output/" + artifacts.trainingModel->outputs().front()->name();
    const OracleResult there = runOracle(
        "grads.mjs", {"--train", folder.filePath("training_model.onnx"), "--checkpoint",
                      folder.filePath("checkpoint"), "--feeds", folder.filePath("feeds.npz"),
                      "--out", folder.filePath("grads.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays arrays = readNpz(folder.filePath("grads.npz").toStdString());
    QVERIFY(arrays.contains(loss));
    const double value = arrays.at(loss).toDouble();
    QVERIFY2(std::abs(value - one.loss) <= 1e-6 + 1e-5 * std::abs(one.loss),
             qPrintable(QString("%1, expected %2").arg(value, 0, 'g', 9).arg(one.loss, 0, 'g', 9)));
    for (const auto& [name, golden] : one.gradients) {
        const auto found = arrays.find("parameter_" + name);
        QVERIFY2(found != arrays.end(), name.c_str());
        const double worst = worstRatio(found->second, golden, 1e-6, 1e-5);
        QVERIFY2(worst <= 1,
                 qPrintable(
                     QString("gradient of %1: %2 of the tolerance").arg(name.c_str()).arg(worst)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleLossTest)
#include "oracle_loss_test.moc"
