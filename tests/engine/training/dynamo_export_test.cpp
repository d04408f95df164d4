// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/model_edits.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

namespace fs = std::filesystem;

/// Exports of PyTorch's exporter since 2.9 that are trained as they come, without a choice that
/// names a tensor. Those with operators without gradients show which tensors would train.
class DynamoExportTest : public QObject {
    Q_OBJECT

private slots:
    void parametersTrainAndConstantsDoNot_data();
    void parametersTrainAndConstantsDoNot();
    void lossesArePyTorchs_data() { parametersTrainAndConstantsDoNot_data(); }
    void lossesArePyTorchs();
    void patternsMeanNamesOfTheModule();

private:
    struct Export {
        explicit Export(const QString& name)
            : folder(conformanceFolder() / "dynamo" / name.toStdString()),
              meta(readJson(folder / "meta.json")) {
            model = loadModel(folder / "model.onnx");
            inferTypes(*model, allOps()->catalog);
            editModel(*model, *allOps(), {});
            spec.loss = {meta["loss"].toString() == "ce" ? "cross-entropy" : "mse", {}};
            spec.optimizer = {"sgd", {}};
            if (meta["outputs"].toArray().size() > 1) {
                spec.lossInputs = {meta["loss_output"].toString().toStdString()};
            }
        }
        bool trains(const std::string& tensor, const ArtifactPlan& plan) const {
            return std::ranges::count(plan.trainable, tensor) > 0;
        }

        fs::path folder;
        QJsonObject meta;
        std::unique_ptr<Graph> model;
        ArtifactSpec spec;
    };
};

void DynamoExportTest::parametersTrainAndConstantsDoNot_data() {
    QTest::addColumn<QString>("name");
    const fs::path folder = conformanceFolder() / "dynamo";
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!entry.is_directory()) continue;
        const QString name = QString::fromStdString(entry.path().filename().string());
        QTest::newRow(qPrintable(name)) << name;
    }
}

void DynamoExportTest::parametersTrainAndConstantsDoNot() {
    QFETCH(QString, name);
    const Export exported(name);
    const ArtifactPlan plan = planArtifacts(*exported.model, *allOps(), exported.spec);
    for (const QString& constant : exported.meta["constants"].toObject().keys()) {
        QVERIFY2(!exported.trains(constant.toStdString(), plan), qPrintable(constant));
    }
    const QJsonArray idle = exported.meta["no_gradient"].toArray();
    const QJsonObject parameters = exported.meta["parameters"].toObject();
    for (const QString& parameter : parameters.keys()) {
        const QJsonArray places = parameters[parameter].toObject()["at"].toArray();
        if (idle.contains(parameter) || places.isEmpty()) continue;
        bool trains = exported.trains(parameter.toStdString(), plan);
        for (const auto& place : places) {
            trains = trains || exported.trains(place.toArray()[0].toString().toStdString(), plan);
        }
        QVERIFY2(trains, qPrintable(parameter));
    }
}

/// For each step's loss, relative to float64 if PyTorch computed it; the README's tolerances.
void DynamoExportTest::lossesArePyTorchs() {
    QFETCH(QString, name);
    const Export exported(name);
    const ArtifactPlan plan = planArtifacts(*exported.model, *allOps(), exported.spec);
    const auto error = std::ranges::find(plan.findings, Severity::Error, &Finding::severity);
    if (error != plan.findings.end()) QSKIP(error->message.c_str());
    Artifacts artifacts = generateArtifacts(*exported.model, *allOps(), exported.spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    session.setLearningRate(0.01F);
    const Arrays feeds = readNpz(exported.folder / "feeds.npz");
    const QJsonArray single = exported.meta["sgd32"].toArray();
    const QJsonArray golden =
        exported.meta.contains("sgd64") ? exported.meta["sgd64"].toArray() : single;
    for (int step = 0; step < 3; ++step) {
        const double loss = session.trainStep(feedsOf(session, feeds, 0))[0].toDouble();
        const double want = golden[step].toDouble();
        const double noise = std::abs(single[step].toDouble() - want) / std::abs(want);
        const double allowed = std::max(step == 0 ? 1e-5 : 2e-5, 20 * noise);
        QVERIFY2(std::abs(loss - want) <= allowed * std::abs(want),
                 qPrintable(QString("step %1: %2, golden %3").arg(step).arg(loss).arg(want)));
        session.optimizerStep();
        session.lazyResetGrad();
    }
}

void DynamoExportTest::patternsMeanNamesOfTheModule() {
    Export exported("lstm.dynamo");
    exported.spec.trainable = {"rnn.weight_*", "head.*"};
    exported.spec.frozen = {"*hh_l0"};
    exported.spec.parameterGroups = {{"rnn.*", 0.5}};
    const ArtifactPlan plan = planArtifacts(*exported.model, *allOps(), exported.spec);
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(plan.trainable, (std::vector<std::string>{"head.weight", "head.bias", "val_43"}));
    QCOMPARE(plan.moduleNames.at("val_43"), std::vector<std::string>{"rnn.weight_ih_l0"});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::DynamoExportTest)
#include "dynamo_export_test.moc"
