// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/training/oracle_run.h"

#include <QDir>
#include <QJsonArray>
#include <QTest>
#include <cmath>
#include <cstring>

#include "engine/training/artifacts/artifact_files.h"

namespace temper::test {
namespace {

constexpr float kRateThere = 1e-3F;

QString number(double value) { return QString::number(value, 'g', 9); }

bool sameBits(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && a.dtype() == b.dtype() &&
           std::memcmp(a.data(), b.data(), a.byteSize()) == 0;
}

}  // namespace

std::unique_ptr<TrainingSession> sessionIn(const QString& folder, const QString& checkpoint) {
    Artifacts artifacts = loadArtifacts(ArtifactPaths::presentIn(folder.toStdString()), *allOps());
    auto state = std::make_shared<CheckpointState>(
        CheckpointState::load(QDir(folder).filePath(checkpoint).toStdString()));
    auto session = std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
    session->setLearningRate(kRateThere);
    return session;
}

std::vector<double> trainHere(TrainingSession& session, const Arrays& data, int64_t steps) {
    std::vector<double> losses;
    for (int64_t step = 0; step < steps; ++step) {
        losses.push_back(session.trainStep(feedsOf(session, data, step))[0].toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    return losses;
}

OracleResult trainThere(const QString& folder, const QString& checkpoint, const QString& feeds,
                        int64_t steps, const QStringList& more) {
    const QDir artifacts(folder);
    const QString kind = artifacts.exists("training_model.onnx") ? ".onnx" : ".ort";
    const QStringList arguments{"--train",      artifacts.filePath("training_model" + kind),
                                "--eval",       artifacts.filePath("eval_model" + kind),
                                "--optimizer",  artifacts.filePath("optimizer_model" + kind),
                                "--checkpoint", artifacts.filePath(checkpoint),
                                "--feeds",      feeds,
                                "--steps",      QString::number(steps)};
    return runOracle("train.py", arguments + more);
}

void compareLosses(const QJsonObject& there, const std::vector<double>& here, double tolerance) {
    const QJsonArray steps = there["steps"].toArray();
    QCOMPARE(static_cast<size_t>(steps.size()), here.size());
    for (int i = 0; i < steps.size(); ++i) {
        const double loss = steps[i].toObject()["outputs"].toObject().begin()->toDouble();
        const double found = here[static_cast<size_t>(i)];
        QVERIFY2(std::abs(found - loss) <= tolerance * std::abs(loss),
                 qPrintable(QString("step %1: %2 here, %3 there")
                                .arg(QString::number(i + 1), number(found), number(loss))));
    }
}

void compareParameters(const CheckpointState& here, const Arrays& there, double absolute,
                       double relative) {
    for (const Parameter& parameter : here.parameters()) {
        const auto found = there.find(parameter.name);
        QVERIFY2(found != there.end(), parameter.name.c_str());
        const double worst = worstRatio(parameter.data, found->second, absolute, relative);
        QVERIFY2(
            worst <= 1,
            qPrintable(QString("%1: %2 of the tolerance").arg(parameter.name.c_str()).arg(worst)));
    }
}

void compareBits(const CheckpointState& found, const CheckpointState& expected) {
    QCOMPARE(found.parameters().size(), expected.parameters().size());
    for (const Parameter& parameter : expected.parameters()) {
        const Parameter& other = found.parameter(parameter.name);
        QVERIFY2(sameBits(other.data, parameter.data), parameter.name.c_str());
        QVERIFY2(other.requiresGrad == parameter.requiresGrad, parameter.name.c_str());
    }
    const auto& moments = found.optimizerState().moments;
    QCOMPARE(moments.size(), expected.optimizerState().moments.size());
    for (const auto& [name, byMoment] : expected.optimizerState().moments) {
        QCOMPARE(moments.at(name).size(), byMoment.size());
        for (const auto& [moment, tensor] : byMoment)
            QVERIFY2(sameBits(moments.at(name).at(moment), tensor), name.c_str());
    }
}

Arrays modelInputs(const TorchFixture& fixture, TrainingSession& session, int64_t step) {
    const std::vector<Tensor> feeds = feedsOf(session, fixture.data, step, false);
    const std::vector<std::string>& names = session.inputNames(false);
    const QJsonObject inputs = fixture.meta["inputs"].toObject();
    Arrays arrays;
    for (size_t i = 0; i < names.size(); ++i)
        if (inputs.contains(QString::fromStdString(names[i]))) arrays[names[i]] = feeds[i];
    return arrays;
}

QString feedsFile(const TorchFixture& fixture) {
    return QString::fromStdString((fixture.folder / "data.npz").string());
}

}  // namespace temper::test
