// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QTest>
#include <cstring>

#include "engine/onnx/model_file.h"
#include "tests/ui/window_driver.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

bool sameData(const Tensor& a, const Tensor& b) {
    return a.byteSize() == b.byteSize() && std::memcmp(a.data(), b.data(), a.byteSize()) == 0;
}

}  // namespace

/// What the export page writes.
class ExportTest : public QObject {
    Q_OBJECT

private slots:
    void theAverageOfTheWeightsIsExported() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        auto* average = driver.window().findChild<QCheckBox*>("exportAverage");
        QVERIFY(average->isHidden());
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 20;
        spec.run.averageDecay = 0.9;
        driver.project().edit("average", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        const auto last = exported(driver, "last.onnx");
        QVERIFY(last != nullptr);
        QVERIFY(!average->isHidden());
        average->setChecked(true);
        const auto mean = exported(driver, "average.onnx");
        QVERIFY(mean != nullptr);
        const auto again = [&] {
            average->setChecked(false);
            return exported(driver, "again.onnx");
        }();
        int different = 0;
        for (const Value* value : last->initializers()) {
            const Tensor& weights = value->constant();
            QVERIFY(sameData(weights, again->at(value->name())->constant()));
            if (!sameData(weights, mean->at(value->name())->constant())) ++different;
        }
        QVERIFY2(different >= 8, qPrintable(QString::number(different)));
    }

    void ortFormatIsAChoiceOfTheProject() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("export"));
        auto* box = driver.window().findChild<QCheckBox*>("ortFormat");
        QTest::keyClick(box, Qt::Key_Space);
        QVERIFY(driver.project().spec().artifacts.ortFormat);
        driver.project().undoStack()->undo();
        QVERIFY(!driver.project().spec().artifacts.ortFormat);
        QVERIFY(!box->isChecked());
    }

private:
    /// The file read again; null where the window did not verify it.
    static std::unique_ptr<Graph> exported(WindowDriver& driver, const QString& name) {
        const QString path = driver.filePath(name);
        driver.exportPanel().exportTo(path);
        const auto isThere = [&] {
            return driver.exportPanel().result().path == path.toStdString();
        };
        if (!QTest::qWaitFor(isThere, kPatienceMs)) return nullptr;
        return driver.exportPanel().result().isVerified() ? loadModel(path.toStdString()) : nullptr;
    }
};

QTEST_MAIN(ExportTest)
#include "export_test.moc"
