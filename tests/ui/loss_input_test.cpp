// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/objective/loss_input.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// Points (x, y) to two numbers h; `rest` computes p from them, in an opset.
QString modelEnding(const QString& rest, int opset = 17) {
    return QStringLiteral(R"(
        <ir_version: 8, opset_import: ["" : %2]>
        agraph (float[N, 2] x) => (float[N, 2] p)
            <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}, float[2] b = {0, 0.1},
             int64[2] flat = {-1, 2}> {
            h = Gemm(x, w, b)
            %1
        })")
        .arg(rest)
        .arg(opset);
}

void openText(WindowDriver& driver, const QString& source, const std::string& loss) {
    const QString path = driver.filePath("model.onnx");
    saveModel(*parseText(source.toStdString()), path.toStdString());
    driver.window().files().open(path);
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
    TrainingSpec spec = driver.project().spec();
    spec.artifacts.loss = {loss, {}};
    driver.project().edit("loss", spec);
    QVERIFY(driver.goTo("objective"));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
}

LossInput& inputOf(WindowDriver& driver) {
    return *driver.window().findChild<LossInput*>("prediction");
}

std::vector<std::string> readBy(WindowDriver& driver) {
    return driver.project().preparation()->plan.loss.reads.predictions;
}

}  // namespace

/// Which tensor the loss reads: proposed, corrected by a button, chosen by a person.
class LossInputTest : public QObject {
    Q_OBJECT

private slots:
    void aButtonLetsTheLossReadThePreviousValue_data() {
        QTest::addColumn<QString>("rest");
        QTest::addColumn<int>("opset");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QString>("before");
        const auto row = [](const char* name, const char* rest, int opset, const char* loss,
                            const char* before) {
            QTest::newRow(name) << QString(rest) << opset << QString(loss) << QString(before);
        };
        row("softmax", "p = Softmax(h)", 17, "cross-entropy", "h");
        row("of opset 9", "p = Softmax<axis = 1>(h)", 9, "cross-entropy", "h");
        row("of opset 11", "p = Softmax<axis = 1>(h)", 11, "cross-entropy", "h");
        row("behind Identity", "s = Softmax(h) p = Identity(s)", 17, "cross-entropy", "h");
        row("behind Reshape", "s = Softmax(h) p = Reshape(s, flat)", 17, "cross-entropy", "h");
        row("behind Cast", "s = Softmax(h) d = Cast<to = 11>(s) p = Cast<to = 1>(d)", 17,
            "cross-entropy", "h");
        row("behind Transpose", "t = Transpose(h) s = Softmax<axis = 0>(t) p = Transpose(s)", 17,
            "cross-entropy", "t");
        row("sigmoid", "p = Sigmoid(h)", 17, "bce-with-logits", "h");
        // None of the nodes has a name.
        row("the last one of two", "a = Softmax(h) g = Gemm(a, w, b) p = Softmax(g)", 17,
            "cross-entropy", "g");
    }
    void aButtonLetsTheLossReadThePreviousValue() {
        QFETCH(QString, rest);
        QFETCH(int, opset);
        QFETCH(QString, loss);
        QFETCH(QString, before);
        WindowDriver driver;
        openText(driver, modelEnding(rest, opset), loss.toStdString());
        if (QTest::currentTestFailed()) return;
        QCOMPARE(inputOf(driver).currentText(), QString("p"));
        auto* fix = driver.window().findChild<QPushButton*>("objectiveFix");
        QVERIFY(fix != nullptr && fix->isVisible());
        QCOMPARE(fix->text(), "Let the loss read " + before);
        if (opset == 9) QVERIFY(driver.savePicture("fault-02-button"));
        QTest::mouseClick(fix, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QCOMPARE(readBy(driver), std::vector{before.toStdString()});
        QCOMPARE(inputOf(driver).currentText(), before);
        QVERIFY2(!driver.message().contains("itself"), qPrintable(driver.message()));
        driver.project().undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(inputOf(driver).currentText(), QString("p"), kPatienceMs);
    }

    void ofSeveralOutputsOneIsChosenByAButton() {
        WindowDriver driver;
        openText(driver, R"(
            <ir_version: 8, opset_import: ["" : 17]>
            agraph (float[N, 2] x) => (float[N, 2] left, float[N, 2] right)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}, float[2, 2] v = {0.1, -0.2, 0.3, 0.4}> {
                left = MatMul(x, w)
                right = MatMul(x, v)
            })",
                 "mse");
        if (QTest::currentTestFailed()) return;
        QVERIFY2(driver.message().contains("2 outputs"), qPrintable(driver.message()));
        QCOMPARE(inputOf(driver).currentText(), QString());
        QStringList labels;
        for (auto* fix : driver.window().findChildren<QPushButton*>("objectiveFix")) {
            labels << fix->text();
            if (fix->text().endsWith("right")) fix->click();
        }
        QCOMPARE(labels, QStringList({"Let the loss read left", "Let the loss read right"}));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QCOMPARE(readBy(driver), std::vector<std::string>{"right"});
        QVERIFY(driver.project().preparation()->artifacts != nullptr);
    }

    /// By a part of its name, with the keys.
    void anyTensorIsFoundByTyping() {
        WindowDriver driver;
        openText(driver, modelEnding("hidden.one = Relu(h) p = Gemm(\"hidden.one\", w, b)"), "mse");
        if (QTest::currentTestFailed()) return;
        LossInput& input = inputOf(driver);
        QVERIFY(!input.isVisible() && driver.click("choice-tensor"));
        QCOMPARE(input.tensors(), QStringList({"h", "hidden.one", "p"}));
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        input.setFocus();
        input.lineEdit()->selectAll();
        QTest::keyClicks(input.lineEdit(), "DEN");
        QCOMPARE(input.completer()->completionCount(), 1);
        QCOMPARE(input.completer()->currentCompletion(), QString("hidden.one"));
        // Its letters are not at the edge of the list.
        QAbstractItemView& list = *input.completer()->popup();
        list.ensurePolished();
        QVERIFY2(list.sizeHintForRow(0) >= list.fontMetrics().height() + 6,
                 qPrintable(QString::number(list.sizeHintForRow(0))));
        QVERIFY(driver.savePicture("fault-02-search", input.completer()->popup()));
        emit input.completer()->activated(QString("hidden.one"));
        QCOMPARE(driver.project().spec().artifacts.lossInputs,
                 std::vector<std::string>{"hidden.one"});
        input.lineEdit()->selectAll();
        QTest::keyClicks(input.lineEdit(), "h");
        QTest::keyClick(input.lineEdit(), Qt::Key_Return);
        QCOMPARE(driver.project().spec().artifacts.lossInputs, std::vector<std::string>{"h"});
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QCOMPARE(readBy(driver), std::vector<std::string>{"h"});
        // A name that is not a tensor is rejected.
        input.lineEdit()->selectAll();
        QTest::keyClicks(input.lineEdit(), "nothing");
        QTest::keyClick(input.lineEdit(), Qt::Key_Return);
        QVERIFY(driver.click("stage-model") && driver.goTo("objective"));
        QCOMPARE(input.currentText(), QString("h"));
        QCOMPARE(driver.project().spec().artifacts.lossInputs, std::vector<std::string>{"h"});
    }
};

QTEST_MAIN(LossInputTest)
#include "loss_input_test.moc"
