// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/core/error.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/projects/sweep.h"

namespace temper::test {

using Texts = std::vector<std::string>;

SweepSetting settingOf(const std::string& key, const TrainingSpec& spec = {}) {
    for (const SweepSetting& setting : sweepSettings(spec))
        if (setting.key == key) return setting;
    throw Error(ErrorCode::NotFound, key);
}

/// Runs that differ in one setting.
class SweepTest : public QObject {
    Q_OBJECT

private slots:
    void eachSettingTakesItsOwnValue() {
        TrainingSpec spec;
        spec.artifacts.optimizer.key = "momentum";
        spec.run.schedule.key = "cosine";
        const std::vector<SweepSetting> settings = sweepSettings(spec);
        QVERIFY(settings.size() > 15);
        for (const SweepSetting& setting : settings) {
            QVERIFY2(!setting.label.empty(), setting.key.c_str());
            const std::string value = settingValue(spec, setting.key);
            QVERIFY2(!value.empty(), setting.key.c_str());
            const TrainingSpec same = withSetting(spec, setting.key, value);
            QCOMPARE(settingValue(same, setting.key), value);
            QVERIFY2(same.run == spec.run, setting.key.c_str());
        }
    }

    void aValueChangesNothingElse() {
        TrainingSpec spec;
        QCOMPARE(withSetting(spec, "learning_rate", "0.25").run.learningRate, 0.25);
        QCOMPARE(withSetting(spec, "batch_size", "7").run.batchSize, int64_t{7});
        QCOMPARE(withSetting(spec, "seed", "12").run.session.seed, uint64_t{12});
        QVERIFY(withSetting(spec, "precision", "bf16").run.session.precision ==
                Precision::BFloat16);
        const TrainingSpec decayed = withSetting(spec, "optimizer.weight_decay", "0.125");
        QCOMPARE(decayed.artifacts.optimizer.value(optimizerChoices(), "weight_decay"), 0.125);
        QCOMPARE(decayed.artifacts.optimizer.key, spec.artifacts.optimizer.key);
        QCOMPARE(withSetting(decayed, "optimizer", "sgd").artifacts.optimizer,
                 (Selection{"sgd", {}}));
        QCOMPARE(withSetting(decayed, "optimizer", "adamw").artifacts.optimizer,
                 decayed.artifacts.optimizer);
        QCOMPARE(withSetting(spec, "loss.label_smoothing", "0.1").artifacts.loss.values,
                 (std::map<std::string, double>{{"label_smoothing", 0.1}}));
        TrainingSpec expected = spec;
        expected.run.learningRate = 0.25;
        QVERIFY(withSetting(spec, "learning_rate", "0.25") == expected);
    }

    void whatIsNoValueIsRefused_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* key, const char* value, const char* message) {
            QTest::addRow("%s %s", key, value) << key << value << message;
        };
        row("learning_rate", "fast", "'Learning rate' can't be 'fast'");
        row("learning_rate", "-1", "'Learning rate' is -1");
        row("batch_size", "1.5", "'Batch size' can't be '1.5'");
        row("batch_size", "0", "'Batch size' is 0");
        row("precision", "fp64", "expected fp32 or bf16");
        row("optimizer", "sdg", "expected one of adamw");
        row("optimizer.weight_decay", "-2", "expected a number from 0");
        row("optimizer.momentum", "0.9", "No setting 'optimizer.momentum'");
        row("save_folder", "x", "No setting 'save_folder'");
        row("steps", "nan", "'Steps' can't be 'nan'");
    }
    void whatIsNoValueIsRefused() {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, message);
        try {
            withSetting({}, key.toStdString(), value.toStdString());
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.message()).contains(message),
                     error.message().c_str());
            QVERIFY(!error.hint().empty());
        }
    }

    void listsAndRangesAreValues_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("values");
        const auto row = [](const char* key, const char* text, const char* values) {
            QTest::addRow("%s: %s", key, text) << key << text << values;
        };
        row("learning_rate", "0.1, 0.01", "0.1 0.01");
        row("learning_rate", " 1e-3 ,0.001, 2e-3,", "0.001 0.002");
        row("learning_rate", "0.001..0.1:5", "0.001 0.00316 0.01 0.0316 0.1");
        row("learning_rate", "0.1 .. 0.001 : 3", "0.1 0.01 0.001");
        row("learning_rate", "0.1..0.5:3, 1", "0.1 0.3 0.5 1");
        row("batch_size", "8..64:4", "8 27 45 64");
        row("batch_size", "8..512:4", "8 32 128 512");
        row("clip_norm", "0..2:3", "0 1 2");
        row("precision", "bf16,fp32", "bf16 fp32");
        row("schedule", "constant, cosine", "constant cosine");
        row("seed", "1..5:5", "1 2 3 4 5");
        row("seed", "", "");
        row("seed", " , ", "");
    }
    void listsAndRangesAreValues() {
        QFETCH(QString, key);
        QFETCH(QString, text);
        QFETCH(QString, values);
        QString found;
        for (const std::string& value :
             sweepValues(settingOf(key.toStdString()), text.toStdString()))
            found += (found.isEmpty() ? "" : " ") + QString::fromStdString(value);
        QCOMPARE(found, values);
    }

    void whatIsNoListIsRefused() {
        for (const char* text : {"fast", "0.1;0.2", "1..2", "1..2:1", "1..2:x", "..:3", "1..:3",
                                 "1..2:2.5", "1..2:100000", "nan", "inf", "0.1, 1e400"}) {
            QVERIFY_EXCEPTION_THROWN(sweepValues(settingOf("learning_rate"), text), Error);
        }
        QVERIFY_EXCEPTION_THROWN(sweepValues(settingOf("precision"), "fp16"), Error);
        QString many;
        for (int i = 0; i <= 1000; ++i) many += QString::number(i) + ',';
        QVERIFY_EXCEPTION_THROWN(sweepValues(settingOf("seed"), many.toStdString()), Error);
    }

    /// A formula has no hyperparameters, and steps replace epochs.
    void settingsAreThoseOfTheChoices() {
        const auto has = [](const TrainingSpec& spec, const char* key) {
            return std::ranges::count(sweepSettings(spec), key, &SweepSetting::key) == 1;
        };
        TrainingSpec spec;
        QVERIFY(has(spec, "epochs") && has(spec, "loss") && has(spec, "loss.label_smoothing"));
        QVERIFY(!has(spec, "threads") && !has(spec, "data") && !has(spec, "loss.weight"));
        // Those that end a run sooner make another result; how often it is saved does not.
        QVERIFY(has(spec, "early_stop_patience") && has(spec, "early_stop_min_delta"));
        QVERIFY(has(spec, "time_limit") && !has(spec, "save_every"));
        spec.run.steps = 10;
        spec.artifacts.loss.key = "0.5*mse(a, b)";
        QVERIFY(!has(spec, "epochs") && has(spec, "steps"));
        QVERIFY(!has(spec, "loss") && !has(spec, "loss.label_smoothing"));
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SweepTest)
#include "sweep_test.moc"
