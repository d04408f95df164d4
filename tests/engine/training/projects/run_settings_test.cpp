// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/error.h"
#include "engine/core/lower_case.h"
#include "engine/runs/report_language.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/projects/project_run.h"
#include "engine/training/spec/artifact_choices.h"
#include "engine/training/spec/run_settings.h"
#include "tests/support/changed_setting.h"

namespace temper::test {

using RunSetting = Setting<RunSpec>;

/// Files, command lines and reports describe the settings of a run by the same table.
class RunSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void keysAndFlagsAreUnique() {
        std::set<std::string> keys, flags;
        for (const RunSetting& setting : runSettings()) {
            QVERIFY2(keys.insert(setting.key).second, setting.key.c_str());
            QVERIFY2(setting.flag.empty() || flags.insert(setting.flag).second,
                     setting.flag.c_str());
            QVERIFY2(!setting.label.empty() && !setting.help.empty(), setting.key.c_str());
        }
    }

    void eachIsWrittenAndRead_data() { addSettings(); }
    void eachIsWrittenAndRead() {
        TrainingSpec spec;
        change(current(), spec.run);
        QVERIFY(spec != TrainingSpec{});
        QVERIFY(!isDefault(current(), spec.run));
        const TrainingSpec read = trainingSpecFromJson(toJson(spec));
        QVERIFY(read == spec);
        setDefault(current(), spec.run);
        QVERIFY(spec == TrainingSpec{});
    }

    void eachIsReportedIfItDiffers_data() { addSettings(); }
    void eachIsReportedIfItDiffers() {
        const RunSetting& setting = current();
        TrainingSpec spec;
        const auto isTold = [&] {
            const LabelledValues told = describeRun(spec.run);
            return std::ranges::any_of(told, [&](const auto& each) {
                return QString::fromStdString(each.first)
                           .compare(QString::fromStdString(setting.label), Qt::CaseInsensitive) ==
                       0;
            });
        };
        QCOMPARE(isTold(), setting.isAlwaysTold);
        change(setting, spec.run);
        QVERIFY(isTold());
    }

    void reportsSayAllOfASelection_data() {
        QTest::addColumn<QString>("choices");
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("value");
        QTest::newRow("a name") << R"({"run": {"schedule": "linear"}})"
                                << "schedule"
                                << "linear";
        QTest::newRow("numbers and a list")
            << R"({"run": {"schedule": {"key": "multi-step",
                           "values": {"gamma": 0.5, "warmup_steps": 20},
                           "lists": {"milestones": [100, 200]}}}})"
            << "schedule"
            << "multi-step (gamma=0.5, warmup_steps=20, milestones=100,200)";
        QTest::newRow("a loss") << R"({"artifacts": {"loss": {"key": "huber",
                                       "values": {"delta": 2}}}})"
                                << "loss"
                                << "huber (delta=2)";
        QTest::newRow("an optimizer") << R"({"artifacts": {"optimizer": {"key": "momentum",
                                             "values": {"momentum": 0.8}}}})"
                                      << "optimizer"
                                      << "momentum (momentum=0.8)";
        QTest::newRow("parameters") << R"({"artifacts": {"frozen": ["conv*", "!conv1.bias"]}})"
                                    << "frozen parameters"
                                    << "conv*, !conv1.bias";
        QTest::newRow("groups") << R"({"artifacts": {"parameter_groups": [
                   {"pattern": "head.*", "learning_rate_factor": 0.1},
                   {"pattern": "fc", "learning_rate_factor": 1, "weight_decay": 0}]}})"
                                << "parameter groups"
                                << "head.*:lr=0.1, fc:lr=1,weight_decay=0";
        QTest::newRow("a switch") << R"({"artifacts": {"decay_biases_and_norms": false}})"
                                  << "weight decay of biases and norms"
                                  << "off";
        QTest::newRow("metrics") << R"({"run": {"metrics": ["accuracy", "mae"]}})"
                                 << "metrics"
                                 << "accuracy,mae";
    }
    void reportsSayAllOfASelection() {
        QFETCH(QString, choices);
        QFETCH(QString, label);
        const auto told = describeChoices(trainingSpecFromJson(choices.toStdString()));
        const auto found = std::ranges::find(told, label.toStdString(),
                                             &std::pair<std::string, std::string>::first);
        QVERIFY(found != told.end());
        QTEST(QString::fromStdString(found->second), "value");
    }

    void reportsLabelAllChoicesOfArtifacts() {
        const std::vector<std::string> names{"a"};
        TrainingSpec spec;
        spec.fixedInputs = {{"a", 1}};
        spec.freeBatch = true;
        spec.headClasses = 3;
        spec.hiddenUnits = std::vector<int64_t>{8};
        spec.replace = names;
        spec.sharing = {names, names, names, names};
        spec.restoreNorms = names;
        spec.rename = {{"a", "b"}};
        spec.artifacts = {.trainable = names,
                          .frozen = names,
                          .lossInputs = names,
                          .parameterGroups = {{"a"}},
                          .decayBiasesAndNorms = false,
                          .straightThrough = names,
                          .stopGradient = names,
                          .frozenStatistics = names,
                          .extraOutputs = names,
                          .prefix = "a",
                          .nominalCheckpoint = true,
                          .ortFormat = true};
        std::set<std::string> told;
        for (const auto& [label, value] : describeChoices(spec)) told.insert(label);
        for (const ArtifactChoice& choice : artifactChoices())
            QVERIFY2(told.contains(withSmallFirst(choice.label)), choice.label.c_str());
    }

    /// Translators see each label once. Two are also of the environment, one of a curve.
    void reportsTakeTheirLabels() {
        const std::set<std::string> shared{"device", "learning rate", "threads"};
        for (const RunSetting& setting : runSettings()) {
            const std::string label = withSmallFirst(setting.label);
            const bool isReports = std::ranges::count(reportTexts(), label) > 0;
            QVERIFY2(isReports == shared.contains(label), label.c_str());
        }
    }

    void reportsOfDefaultsAreShort() {
        std::vector<std::string> labels;
        for (const auto& each : describeChoices({})) labels.push_back(each.first);
        QCOMPARE(labels,
                 (std::vector<std::string>{"model", "loss", "optimizer", "data", "epochs",
                                           "batch size", "learning rate", "schedule", "seed"}));
    }

    void eachIsOnTheCommandLineIfItDiffers_data() { addSettings(); }
    void eachIsOnTheCommandLineIfItDiffers() {
        const RunSetting& setting = current();
        if (setting.flag.empty()) QSKIP("it has no flag");
        TrainingSpec spec;
        const auto flags = [&] {
            QString line = QString::fromStdString(commandLineOf(spec, {}));
            return line.mid(line.indexOf("temper train"))
                .split(' ')
                .count(QString::fromStdString(setting.flag));
        };
        QCOMPARE(flags(), setting.key == "save_folder" ? 1 : 0);  // a command always saves
        change(setting, spec.run);
        QCOMPARE(flags(), 1);
    }

    void aNumberOutOfItsRangeIsNamed() {
        RunSpec run;
        requireInRange(run);
        for (const auto& [value, found] :
             {std::pair(-60.0, "is -60 s; expected 0 or more"),
              std::pair(std::nan(""), "is nan s; expected 0 or more")}) {
            run.timeLimit = value;
            try {
                requireInRange(run);
                QFAIL("it was taken");
            } catch (const Error& error) {
                QCOMPARE(QString(error.what()), QString("'Time limit' %1.").arg(found));
                QVERIFY(QString::fromStdString(error.hint()).contains("--time-limit"));
            }
        }
        run = {};
        run.averageDecay = 1;
        try {
            requireInRange(run);
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("expected 0 to below 1"), error.what());
        }
    }

private:
    static void addSettings() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < runSettings().size(); ++i)
            QTest::newRow(runSettings()[i].key.c_str()) << static_cast<int>(i);
    }
    static const RunSetting& current() {
        return *std::ranges::find(runSettings(), std::string(QTest::currentDataTag()),
                                  &RunSetting::key);
    }
};

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::RunSettingsTest)
#include "run_settings_test.moc"
