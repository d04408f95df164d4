// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/engine/training/ort_api_fixture.h"

namespace temper::test {

using Ort = OrtApiFixture;

/// The cases of ONNX Runtime's TrainingTest.cs, under their names; those of Java and Objective-C
/// are the same flows.
class OrtCsharpTest : public QObject {
    Q_OBJECT

private slots:
    void TestLoadCheckpoint();
    void TestCreateTrainingSession();
    void TestTrainingSessionTrainStep();
    void TestTrainingSessionTrainStepOrtOutput();
    void TestSaveCheckpoint();
    void TestTrainingSessionOptimizerStep();
    void TestTrainingSessionSetLearningRate();
    void TestTrainingSessionLinearLRScheduler();
    void TestTrainingSessionExportModelForInferencing();
    void TestSetSeed();
    void TestTrainingSessionEvalStepWithOrtValues();
    void LengthsOfFeedsAreChecked();

private:
    /// All printed digits.
    static void compareLoss(const Tensor& loss, const char* file) {
        const double expected = static_cast<double>(Ort::recordedLoss(file));
        const double found = loss.toDouble();
        QVERIFY2(std::abs(found - expected) <= 1e-6 * expected,
                 qPrintable(QString("%1, expected %2").arg(found).arg(expected)));
    }
};

void OrtCsharpTest::TestLoadCheckpoint() { QCOMPARE(Ort::state()->parameters().size(), size_t{4}); }

void OrtCsharpTest::TestCreateTrainingSession() {
    QCOMPARE(Ort::session()->learningRate(), 0.001F);
}

void OrtCsharpTest::TestTrainingSessionTrainStep() {
    compareLoss(Ort::session()->trainStep(Ort::recordedFeeds())[0], "loss_1.out");
}

void OrtCsharpTest::TestTrainingSessionTrainStepOrtOutput() {
    const auto session = Ort::session();
    session->trainStep(Ort::recordedFeeds());
    session->lazyResetGrad();
    const std::span<const Tensor> outputs = session->trainStep(Ort::recordedFeeds());
    QCOMPARE(outputs.size(), size_t{1});
    QCOMPARE(session->outputNames()[0], std::string("onnx::loss::21273"));
    QVERIFY(outputs[0].dtype() == DType::Float32);
    compareLoss(outputs[0], "loss_1.out");
}

void OrtCsharpTest::TestSaveCheckpoint() {
    const QTemporaryDir dir;
    const std::string path = dir.filePath("saved.ckpt").toStdString();
    Ort::session()->state().save(path, true);
    const auto state = std::make_shared<CheckpointState>(CheckpointState::load(path));
    QVERIFY(state->hasOptimizerState());
    const auto session = Ort::session(Ort::paths(), state);
    session->trainStep(Ort::recordedFeeds());
    session->lazyResetGrad();
    compareLoss(session->trainStep(Ort::recordedFeeds())[0], "loss_1.out");
}

void OrtCsharpTest::TestTrainingSessionOptimizerStep() {
    const auto session = Ort::session();
    compareLoss(session->trainStep(Ort::recordedFeeds())[0], "loss_1.out");
    session->lazyResetGrad();
    compareLoss(session->trainStep(Ort::recordedFeeds())[0], "loss_1.out");
    session->optimizerStep();
    compareLoss(session->trainStep(Ort::recordedFeeds())[0], "loss_2.out");
}

void OrtCsharpTest::TestTrainingSessionSetLearningRate() {
    const auto session = Ort::session();
    session->setLearningRate(0.245F);
    QCOMPARE(session->learningRate(), 0.245F);
}

void OrtCsharpTest::TestTrainingSessionLinearLRScheduler() {
    const auto session = Ort::session();
    QVERIFY(errorOf([&] {
                session->schedulerStep();
            }).contains("No learning rate scheduler was registered"));
    session->registerLinearLrSchedule(2, 4, 0.1F);
    QCOMPARE(session->learningRate(), 0.1F);
    session->trainStep(Ort::recordedFeeds());
    for (const float expected : {0.05F, 0.1F, 0.05F, 0.0F}) {
        session->optimizerStep();
        session->schedulerStep();
        QCOMPARE(session->learningRate(), expected);
    }
}

void OrtCsharpTest::TestTrainingSessionExportModelForInferencing() {
    const QTemporaryDir dir;
    const std::string path = dir.filePath("inference.onnx").toStdString();
    Ort::session()->exportModelForInferencing(path, {"output-0"});
    QVERIFY(std::filesystem::exists(path));
}

void OrtCsharpTest::TestSetSeed() {
    const auto session = Ort::session();
    session->setSeed(8888);
    compareLoss(session->trainStep(Ort::recordedFeeds())[0], "loss_1.out");
}

void OrtCsharpTest::TestTrainingSessionEvalStepWithOrtValues() {
    const auto session = Ort::session();
    const Tensor before = session->toBuffer(false);
    compareLoss(session->evalStep(Ort::recordedFeeds())[0], "loss_1.out");
    QVERIFY(sameBits(session->toBuffer(false), before));
}

void OrtCsharpTest::LengthsOfFeedsAreChecked() {
    const auto session = Ort::session();
    const std::vector<Tensor> one{Ort::recordedFeeds()[0]};
    const QString expected = "takes 2 inputs (input-0, labels); found 1";
    QVERIFY(errorOf([&] { session->trainStep(one); }).contains(expected));
    QVERIFY(errorOf([&] { session->evalStep(one); }).contains(expected));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtCsharpTest)
#include "ort_csharp_test.moc"
