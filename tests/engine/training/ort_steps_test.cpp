// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// ONNX Runtime's own artifacts, trained here: the results must be those that it recorded.
class OrtStepsTest : public QObject {
    Q_OBJECT

private slots:
    void recordedLossesAreReproduced_data();
    void recordedLossesAreReproduced();
    void gradientsOfTheFirstStepAreReproduced();
    void aNominalCheckpointTrainsOnceParametersAreLoaded();

private:
    std::unique_ptr<TrainingSession> session(const std::string& optimizer,
                                             const std::string& checkpoint = "checkpoint.ckpt") {
        const std::filesystem::path api = ort_ / "training_api";
        const ArtifactPaths paths{api / "training_model.onnx", api / "eval_model.onnx",
                                  ort_ / optimizer, api / checkpoint};
        Artifacts artifacts = loadArtifacts(paths, *allOps());
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        return std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
    }

    std::filesystem::path ort_ = conformanceFolder() / "ort";
};

void OrtStepsTest::recordedLossesAreReproduced_data() {
    QTest::addColumn<QString>("record");
    QTest::addColumn<QString>("optimizer");
    const auto row = [](const char* name, const char* optimizer) {
        QTest::newRow(name) << QString(name) + ".json" << QString(optimizer);
    };
    row("mnist_adamw", "training_api/adamw.onnx");
    row("mnist_adamw_lr_schedule", "training_api/adamw.onnx");
    row("mnist_adamw_accumulate2", "training_api/adamw.onnx");
    row("mnist_adamw_mode0", "optimizers/adamw_mode0.onnx");
    row("mnist_adamw_mode1_decay", "optimizers/adamw_mode1_decay.onnx");
    row("mnist_adamw_no_bias_correction", "optimizers/adamw_no_bias_correction.onnx");
    row("mnist_adamw_clip", "optimizers/adamw_clip.onnx");
    row("mnist_sgd", "optimizers/sgd.onnx");
    row("mnist_sgd_clip", "optimizers/sgd_clip.onnx");
}

/// 1e-5 relative; losses below 1e-4 have few significant bits: 1e-6 absolute, as the data's README
/// says.
void compareLoss(double actual, double expected, int step) {
    const double tolerance = std::max(1e-5 * std::abs(expected), expected < 1e-4 ? 1e-6 : 0.0);
    QVERIFY2(
        std::abs(actual - expected) <= tolerance,
        qPrintable(QString("step %1: found %2, expected %3").arg(step).arg(actual).arg(expected)));
}

void OrtStepsTest::recordedLossesAreReproduced() {
    QFETCH(QString, record);
    QFETCH(QString, optimizer);
    const QJsonObject expected = readJson(ort_ / "expected" / record.toStdString());
    const auto run = session(optimizer.toStdString());
    const Arrays data = loadFeeds(ort_ / "feeds" / "mnist");
    const std::vector<Tensor> feeds = feedsOf(*run, data, 0);
    const QJsonArray rates = expected["learningRates"].toArray();
    const QJsonArray steps = expected["steps"].toArray();
    int updates = 0;
    for (int i = 0; i < steps.size(); ++i) {
        const QJsonObject step = steps[i].toObject();
        compareLoss(run->trainStep(feeds)[0].toDouble(),
                    step["outputs"].toObject().begin()->toDouble(), i + 1);
        if (step["optimizerStep"].toBool()) {
            if (!rates.isEmpty()) {
                const qsizetype at = std::min<qsizetype>(updates, rates.size() - 1);
                run->setLearningRate(static_cast<float>(rates[at].toDouble()));
            }
            run->optimizerStep();
            run->lazyResetGrad();
            ++updates;
        }
        compareLoss(run->evalStep(feeds)[0].toDouble(), step["eval"].toObject().begin()->toDouble(),
                    i + 1);
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(steps.size() >= 6);
    QCOMPARE(run->parametersSize(false), int64_t{expected["parameters"].toInt()});
}

void OrtStepsTest::gradientsOfTheFirstStepAreReproduced() {
    const auto run = session("training_api/adamw.onnx");
    run->trainStep(feedsOf(*run, loadFeeds(ort_ / "feeds" / "mnist"), 0));
    const Arrays expected = readNpz(ort_ / "expected" / "mnist_gradients.npz");
    int compared = 0;
    for (const Parameter& parameter : run->state().parameters()) {
        const auto found = expected.find(parameter.name);
        QVERIFY2(found != expected.end(), parameter.name.c_str());
        const double worst = worstRatio(parameter.gradient, found->second, 1e-7, 1e-5);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(parameter.name.c_str()).arg(worst)));
        ++compared;
    }
    QCOMPARE(compared, 4);
}

void OrtStepsTest::aNominalCheckpointTrainsOnceParametersAreLoaded() {
    const auto full = session("training_api/adamw.onnx");
    const auto run = session("training_api/adamw.onnx", "nominal_checkpoint");
    const std::vector<Tensor> feeds = feedsOf(*full, loadFeeds(ort_ / "feeds" / "mnist"), 0);
    QVERIFY_EXCEPTION_THROWN(run->trainStep(feeds), Error);
    run->fromBuffer(full->toBuffer(false), false);
    for (int i = 0; i < 3; ++i) {
        const double expected = full->trainStep(feeds)[0].toDouble();
        QCOMPARE(run->trainStep(feeds)[0].toDouble(), expected);
        full->optimizerStep();
        run->optimizerStep();
        full->lazyResetGrad();
        run->lazyResetGrad();
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtStepsTest)
#include "ort_steps_test.moc"
