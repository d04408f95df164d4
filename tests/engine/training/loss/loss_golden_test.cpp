// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/training/loss/loss_function.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/loss/loss_cases.h"

namespace temper::test {

/// Each loss with its options compared with PyTorch: value and gradient.
class LossGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void lossesAndGradientsArePyTorchs_data() { addLossRows(); }
    void lossesAndGradientsArePyTorchs();
    void everyLossIsCompared();
};

/// 32-bit arithmetic on numbers of this size.
constexpr double kAbsolute = 1e-6;
constexpr double kRelative = 1e-5;

void LossGoldenTest::lossesAndGradientsArePyTorchs() {
    QFETCH(int, index);
    const LossCase& one = lossCases()[size_t(index)];
    Artifacts artifacts = generateArtifacts(*one.model(), *allOps(), one.spec());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    const std::vector<Tensor> inputs = feedsOf(session, one.feeds(), 0);
    const double loss = session.trainStep(inputs)[0].toDouble();
    QVERIFY2(std::abs(loss - one.loss) <= kAbsolute + kRelative * std::abs(one.loss),
             qPrintable(QString("%1, expected %2").arg(loss, 0, 'g', 9).arg(one.loss, 0, 'g', 9)));
    for (const auto& [name, golden] : one.gradients) {
        const Tensor& gradient = state->parameter("parameter_" + name).gradient;
        const double worst = worstRatio(gradient, golden, kAbsolute, kRelative);
        QVERIFY2(worst <= 1,
                 qPrintable(
                     QString("gradient of %1: %2 of the tolerance").arg(name.c_str()).arg(worst)));
    }
    const double evaluated =
        session.evalStep(feedsOf(session, one.feeds(), 0, false))[0].toDouble();
    QCOMPARE(evaluated, loss);
}

/// A loss that was never compared can't be trusted.
void LossGoldenTest::everyLossIsCompared() {
    for (const LossFunction& loss : lossFunctions()) {
        std::string call = loss.choice.key + "(";
        std::ranges::replace(call, '-', '_');
        const auto isCalled = [&](const LossCase& one) {
            return one.formula.find(call) != std::string::npos;
        };
        QVERIFY2(std::ranges::any_of(lossCases(), isCalled), call.c_str());
        for (const HyperParameter& option : loss.choice.hyperParameters) {
            const auto isSet = [&](const LossCase& one) {
                const size_t at = one.formula.find(call);
                if (at == std::string::npos) return false;
                return one.formula.find(option.key + "=", at) != std::string::npos;
            };
            QVERIFY2(std::ranges::any_of(lossCases(), isSet), (call + option.key).c_str());
        }
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::LossGoldenTest)
#include "loss_golden_test.moc"
