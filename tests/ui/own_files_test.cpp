// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>
#include <QMenu>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>

#include "engine/core/random.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/training/edits/branching_model.h"
#include "tests/ui/person.h"
#include "tests/ui/picture_folder.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

std::string weights(const char* name, const char* shape, int count, int place) {
    return std::string("float[") + shape + "] " + name + " = " + test::numbers(count, place);
}

/// One sample at a time, with the number of samples in a Reshape.
std::string fixedBatch() {
    return R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[1, 4, 8] x) => (float[1, 1] probability)
            <int64[2] flat = {1, 32}, )" +
           weights("w1", "32, 8", 256, 0) + ", " + weights("b1", "8", 8, 1) + ", " +
           weights("w2", "8, 1", 8, 2) + R"(> {
            f = Reshape(x, flat)
            h = Gemm(f, w1, b1)
            r = Relu(h)
            z = MatMul(r, w2)
            probability = Sigmoid(z)
        })";
}

/// A classifier of pictures that ends with a softmax.
std::string withSoftmax() {
    return R"(<ir_version: 6, opset_import: ["" : 11]>
        m (float[N, 3, 24, 32] image) => (float[N, 3] probability) <)" +
           weights("w1", "8, 3, 5, 5", 600, 0) + ", " + weights("b1", "8", 8, 1) + ", " +
           weights("w2", "8, 3", 24, 2) + R"(> {
            c = Conv<strides = [2, 2]>(image, w1, b1)
            r = Relu(c)
            g = GlobalAveragePool(r)
            f = Flatten(g)
            z = MatMul(f, w2)
            probability = Softmax(z)
        })";
}

/// Two conditions over an input, with weights in their branches.
std::string withConditions() {
    return R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 8] x, int64 rate) => (float[N, 2] y) <)" +
           weights("head", "4, 2", 8, 0) + R"(> {
            wide = Constant<value = int64 {16000}>()
            narrow = Constant<value = int64 {8000}>()
            is_wide = Equal(rate, wide)
            is_fast = Greater(rate, narrow)
            ["/first"] h = If (is_wide) <
                then_branch = a () => (float[N, 4] ta) <)" +
           weights("wa", "8, 4", 32, 1) + R"(> { ta = MatMul(x, wa) },
                else_branch = b () => (float[N, 4] tb) <)" +
           weights("wb", "8, 4", 32, 2) + R"(> { tb = MatMul(x, wb) }
            >
            ["/second"] s = If (is_fast) <
                then_branch = c () => (float[N, 4] tc) <)" +
           weights("ba", "4", 4, 3) + R"(> { tc = Add(h, ba) },
                else_branch = d () => (float[N, 4] td) { td = Neg(h) }
            >
            n = Relu(s)
            y = MatMul(n, head)
        })";
}

/// Samples of this shape, labelled by the sign of their first element.
std::map<std::string, Tensor> signs(Shape shape) {
    shape.insert(shape.begin(), 96);
    Random random(3);
    Tensor x(DType::Float32, shape), labels(DType::Int64, {shape[0]});
    const auto values = x.mutableValues<float>();
    for (float& value : values) value = 2 * random.uniform() - 1;
    const size_t elements = values.size() / 96;
    for (size_t i = 0; i < 96; ++i)
        labels.mutableValues<int64_t>()[i] = values[i * elements] > 0 ? 1 : 0;
    return {{"x", x}, {"labels", labels}};
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
}

bool isTold(WindowDriver& driver, const char* words) {
    return QTest::qWaitFor([&] { return driver.message().contains(words); }, kPatienceMs);
}

}  // namespace

/// From a person's own files to a verified model, in the real window.
class OwnFilesTest : public QObject {
    Q_OBJECT

private slots:
    void aModelWithAFixedBatchTakesEightActions_data();
    void aModelWithAFixedBatchTakesEightActions();
    void aSoftmaxInsideAndAFolderOfPicturesTakeEightActions();
    void aModelWithTwoConditionsTrainsTheBranchesThatAreTaken();

private:
    void dropModel(Person& person, WindowDriver& driver, const std::string& text) {
        model_ = driver.filePath("model.onnx");
        saveModel(*parseText(text), model_.toStdString());
        person.drop(model_);
        QVERIFY(QTest::qWaitFor([&] { return driver.project().model() != nullptr; }, kPatienceMs));
        QVERIFY(isIdle(driver));
    }

    static void dropData(Person& person, WindowDriver& driver, const QString& path) {
        person.drop(path);
        QVERIFY(QTest::qWaitFor([&] { return driver.project().data() != nullptr; }, kPatienceMs));
        QVERIFY(isIdle(driver));
    }

    static void dropSamples(Person& person, WindowDriver& driver, const Shape& shape) {
        const QString path = driver.filePath("samples.npz");
        writeNpz(path.toStdString(), signs(shape));
        dropData(person, driver, path);
    }

    /// With the sheet open: Start, then the page Export, a path and Export.
    static void trainAndExport(Person& person, WindowDriver& driver) {
        auto* start = driver.window().findChild<QPushButton*>("fineTuneStart");
        QVERIFY(start != nullptr);
        QVERIFY2(QTest::qWaitFor([&] { return start->isEnabled(); }, kPatienceMs),
                 qPrintable(driver.message()));
        QVERIFY(person.click(start));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        const auto& losses = driver.run().loss().points();
        QVERIFY(losses.size() > 20);
        double first = 0, last = 0;
        for (size_t i = 0; i < 5; ++i) {
            first += losses[i].y;
            last += losses[losses.size() - 1 - i].y;
        }
        QVERIFY2(last < first, qPrintable(QString("%1, %2").arg(first).arg(last)));
        QVERIFY(person.click("stage-export"));
        const QString made = driver.filePath("made.onnx");
        person.fill(*driver.window().findChild<QLineEdit*>("exportPath"), made);
        QVERIFY2(person.click("exportButton"), qPrintable(driver.message()));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
        const ExportResult& result = driver.exportPanel().result();
        QVERIFY2(result.isVerified(), qPrintable(QString("%1 samples, %2: %3")
                                                     .arg(result.samples)
                                                     .arg(result.deviation.largest)
                                                     .arg(QString::fromStdString(result.problem))));
        qInfo("%d actions, loss %.3f to %.3f", person.actions(), first / 5, last / 5);
    }

    static std::shared_ptr<const Graph> exported(WindowDriver& driver) {
        return loadModel(driver.filePath("made.onnx").toStdString());
    }

    QString model_;
};

void OwnFilesTest::aModelWithAFixedBatchTakesEightActions_data() {
    QTest::addColumn<bool>("isFreed");
    QTest::newRow("any batch size") << true;
    QTest::newRow("one sample at a time") << false;
}

void OwnFilesTest::aModelWithAFixedBatchTakesEightActions() {
    QFETCH(bool, isFreed);
    WindowDriver driver;
    Person person(driver);
    dropModel(person, driver, fixedBatch());
    QVERIFY2(isTold(driver, "fixed number of samples"), qPrintable(driver.message()));
    if (isFreed) QVERIFY(person.click("bannerAction"));
    dropSamples(person, driver, {4, 8});
    if (isFreed) {
        QVERIFY2(isTold(driver, "Model and data are open"), qPrintable(driver.message()));
        QVERIFY(person.click("bannerAction"));
    } else {
        person.command("training.fineTune");
    }
    trainAndExport(person, driver);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(driver.project().spec().artifacts.loss.key, std::string("bce-with-logits"));
    QCOMPARE(driver.project().spec().artifacts.lossInputs, std::vector<std::string>{"z"});
    const auto made = exported(driver);
    QCOMPARE(formatType(made->inputs().front()->type()),
             std::string(isFreed ? "float32[batch, 4, 8]" : "float32[1, 4, 8]"));
    QCOMPARE(made->outputs().front()->name(), std::string("probability"));
    QVERIFY(person.actions() <= 8);
}

void OwnFilesTest::aSoftmaxInsideAndAFolderOfPicturesTakeEightActions() {
    WindowDriver driver;
    Person person(driver);
    dropModel(person, driver, withSoftmax());
    const QString folder = driver.filePath("pictures");
    writePictureFolder(folder, 3, 20);
    dropData(person, driver, folder);
    QVERIFY2(isTold(driver, "Model and data are open"), qPrintable(driver.message()));
    QVERIFY(person.click("bannerAction"));
    trainAndExport(person, driver);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(driver.project().spec().artifacts.loss.key, std::string("cross-entropy"));
    QCOMPARE(driver.project().spec().artifacts.lossInputs, std::vector<std::string>{"z"});
    QCOMPARE(exported(driver)->outputs().front()->name(), std::string("probability"));
    QVERIFY(person.actions() <= 8);
}

void OwnFilesTest::aModelWithTwoConditionsTrainsTheBranchesThatAreTaken() {
    WindowDriver driver;
    Person person(driver);
    dropModel(person, driver, withConditions());
    QVERIFY(person.click("stage-model"));
    QTreeWidget* details = nullptr;
    for (auto* tree : driver.window().findChildren<QTreeWidget*>())
        if (tree->accessibleName() == "Details") details = tree;
    QVERIFY(details != nullptr);
    const auto rows = details->findItems("rate", Qt::MatchExactly | Qt::MatchRecursive);
    QVERIFY(!rows.empty());
    QVERIFY(person.choose(*details, details->visualItemRect(rows.front()).center(),
                          "Set to a constant…"));
    auto* dialog = driver.window().findChild<QInputDialog*>();
    QVERIFY(dialog != nullptr);
    person.fill(*dialog->findChild<QLineEdit*>(), "16000");
    dialog->accept();
    QTRY_COMPARE_WITH_TIMEOUT(driver.project().model()->graph->inputs().size(), size_t{1},
                              kPatienceMs);
    QVERIFY(isIdle(driver));
    dropSamples(person, driver, {8});
    QVERIFY2(isTold(driver, "Model and data are open"), qPrintable(driver.message()));
    QVERIFY(person.click("bannerAction"));
    trainAndExport(person, driver);
    if (QTest::currentTestFailed()) return;
    std::vector<std::string> trained = driver.project().preparation()->plan.trainable;
    std::ranges::sort(trained);
    QCOMPARE(trained, (std::vector<std::string>{"ba", "head", "wa"}));
    const auto made = exported(driver);
    QCOMPARE(made->inputs().size(), size_t{1});
    for (const Node* node : made->nodes()) QVERIFY(node->opType() != "If");
}

QTEST_MAIN(OwnFilesTest)
#include "own_files_test.moc"
