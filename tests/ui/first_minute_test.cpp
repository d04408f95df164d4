// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <limits>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/pace.h"
#include "tests/ui/person.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr qint64 kFirstPointMs = 500;  // at a pace of 1

/// The arrays of a PyTorch fixture hold one batch per step; a person's file holds samples.
Tensor asSamples(const Tensor& steps) {
    Shape shape = steps.shape();
    shape[1] *= shape[0];
    shape.erase(shape.begin());
    return steps.reshaped(shape);
}

}  // namespace

/// How few actions it takes: from the start to a moving curve, from a user's own files to a trained
/// model.
class FirstMinuteTest : public QObject {
    Q_OBJECT

private slots:
    void aDemoTakesTwoClicks();
    void anOwnModelTakesSixActions_data();
    void anOwnModelTakesSixActions();

private:
    /// Returns: milliseconds from the click that starts the training to the first point.
    static qint64 startDemo();
};

void FirstMinuteTest::aDemoTakesTwoClicks() {
    // With other programs running, a window may have to wait: the best of three counts.
    qint64 first = startDemo();
    for (int others = 0; others < 2 && first >= kFirstPointMs && !QTest::currentTestFailed();
         ++others)
        first = std::min(first, startDemo());
    const double limit = static_cast<double>(kFirstPointMs) * std::max(1.0, paceMs());
    QVERIFY2(static_cast<double>(first) < limit, qPrintable(QString::number(first)));
}

qint64 FirstMinuteTest::startDemo() {
    qint64 first = std::numeric_limits<qint64>::max();
    const auto use = [&] {
        WindowDriver driver;
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));
        Person person(driver);
        QVERIFY(person.click("open-digits"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QElapsedTimer timer;
        timer.start();
        QVERIFY2(person.clickTool("training.start"), qPrintable(driver.message()));
        const PlotView* curve = driver.trainPanel().lossPlot();
        while (curve->pointCount(0) == 0 && timer.elapsed() < kPatienceMs)
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        first = timer.elapsed();
        qInfo("first point: %lld ms after the click", static_cast<long long>(first));
        QCOMPARE(driver.window().pages().current(), QString("train"));
        QTRY_VERIFY_WITH_TIMEOUT(curve->pointCount(0) > 20, kPatienceMs);
        QVERIFY(curve->isVisible());
        QCOMPARE(person.actions(), 2);
    };
    use();
    return first;
}

void FirstMinuteTest::anOwnModelTakesSixActions_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"lenet", "mlp", "resnet"}) QTest::newRow(name) << name;
}

void FirstMinuteTest::anOwnModelTakesSixActions() {
    QFETCH(QString, name);
    const QString folder = QStringLiteral(TEMPER_CONFORMANCE_DIR "/torch/%1/").arg(name);
    WindowDriver driver;
    const QString samples = driver.filePath("samples.npz"), made = driver.filePath("made.onnx");
    std::map<std::string, Tensor> arrays = readNpz((folder + "data.npz").toStdString());
    for (auto& [array, tensor] : arrays) tensor = asSamples(tensor);
    writeNpz(samples.toStdString(), arrays);

    Person person(driver);
    person.drop(folder + "model.onnx");
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
    person.drop(samples);
    QTRY_VERIFY2_WITH_TIMEOUT(driver.project().isReadyToTrain(), qPrintable(driver.message()),
                              kPatienceMs);
    QVERIFY2(person.clickTool("training.start"), qPrintable(driver.message()));
    QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    QVERIFY(person.click("stage-export"));
    auto* path = driver.window().findChild<QLineEdit*>("exportPath");
    person.fill(*path, made);
    QVERIFY2(person.click("exportButton"), qPrintable(driver.message()));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
    QVERIFY(driver.exportPanel().result().isVerified());
    QCOMPARE(loadModel(made.toStdString())->outputs().size(), size_t{1});
    qInfo("%d actions", person.actions());
    QVERIFY(person.actions() <= 6);
}

QTEST_MAIN(FirstMinuteTest)
#include "first_minute_test.moc"
