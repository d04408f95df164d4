// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/error.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/projects/project_run.h"
#include "engine/training/spec/run_settings.h"

namespace temper::test {

using RunSetting = Setting<RunSpec>;

/// A value other than the default, within the setting's range.
void change(const RunSetting& setting, RunSpec& run) {
    struct Change {
        const RunSetting& setting;
        void operator()(bool* value) const { *value = !*value; }
        void operator()(int* value) const { *value = 3; }
        void operator()(int64_t* value) const { *value += 3; }
        void operator()(uint64_t* value) const { *value = 7; }
        void operator()(double* value) const {
            *value = std::isfinite(setting.maximum) ? setting.maximum / 2 : *value + 2;
        }
        void operator()(Precision* value) const { *value = Precision::BFloat16; }
        void operator()(std::string* value) const { *value = "some text"; }
        void operator()(std::vector<std::string>* value) const { *value = {"one", "two"}; }
        void operator()(std::map<std::string, std::string>* value) const { (*value)["x"] = "a"; }
        void operator()(Selection* value) const { *value = {"cosine", {{"warmup_steps", 2}}}; }
    };
    std::visit(Change{setting}, setting.value(run));
}

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
