// SPDX-License-Identifier: GPL-3.0-or-later
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QTableView>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/parameters/parameter_model.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// Two parameters; `between` may block the gradient of one.
QByteArray behind(const char* between) {
    return QByteArray(R"((float[N, 4] x) => (float[N, 3] y)
        <float[4, 4] w1 = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8},
         float[4, 3] w2 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}>
        { a = MatMul(x, w1) b = )") +
           between + "(a) y = MatMul(b, w2) }";
}

/// Both branches have their own weights; `head` computes the condition.
QByteArray branches(const char* head) {
    const QByteArray branch = R"(= %1 () => (float[N, 3] %2y)
        <float[4, 3] %2w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, float[3] %2b = {1, 2, 3}>
        { %2m = MatMul(x, %2w) %2y = Add(%2m, %2b) })";
    const auto named = [&branch](const char* name, const char* prefix) {
        return QString(branch).arg(name, prefix).toUtf8();
    };
    return QByteArray(head) + "{ y = If(c) <then_branch " + named("t", "t") + ", else_branch " +
           named("e", "e") + "> }";
}

/// A batch normalization exported as separate operators: its epsilon is not a parameter.
const char* const kNorm = R"((float[N, 4] x) => (float[N, 3] y)
    <float[4] gamma = {1, 1, 1, 1}, float[4] beta = {0, 0, 0, 0}, float eps = {0.001},
     float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, int64[1] axes = {1}>
    { m = ReduceMean<keepdims = 1>(x, axes) d = Sub(x, m) q = Mul(d, d)
      v = ReduceMean<keepdims = 1>(q, axes) ve = Add(v, eps) s = Sqrt(ve) n = Div(d, s)
      g = Mul(n, gamma) h = Add(g, beta) y = MatMul(h, w) })";

}  // namespace

/// The window and `temper inspect` count the same parameters as trainable.
class ParameterCountsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void theWindowCountsAsTheCommandLine_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("trained");
        QTest::newRow("all") << behind("Relu") << 2;
        QTest::newRow("one is cut off") << behind("Round") << 1;
        QTest::newRow("a norm with its epsilon") << QByteArray(kNorm) << 3;
        QTest::newRow("an open branch")
            << branches("(float[N, 4] x, bool c) => (float[N, 3] y)") << 0;
        QTest::newRow("a branch that a constant chooses")
            << branches("(float[N, 4] x) => (float[N, 3] y) <bool c = {1}>") << 2;
    }
    void theWindowCountsAsTheCommandLine() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer does not survive the start of another program");
#endif
        QFETCH(QByteArray, model);
        QFETCH(int, trained);
        WindowDriver driver;
        const QString path = driver.filePath("model.onnx");
        const QByteArray whole = R"(<ir_version: 9, opset_import: ["" : 18]> m )" + model;
        saveModel(*parseText(whole.toStdString()), path.toStdString());
        QCOMPARE(trainableByCommand(path), trained);
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() && driver.project().preparation() &&
                                     !driver.project().isPreparing(),
                                 kPatienceMs);
        const QString stage =
            driver.window().findChild<QWidget*>("stage-parameters")->accessibleDescription();
        const QString expected =
            trained == 0 ? QString("Nothing to train") : QString("%1 of ").arg(trained);
        QVERIFY2(stage.contains(expected), qPrintable(stage));
        // What is counted can be inspected.
        QVERIFY(driver.goTo("parameters"));
        auto* table = driver.window().pages().page("parameters")->findChild<QTableView*>();
        int training = 0;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            table->selectRow(row);
            const QString text =
                table->model()->index(row, ParameterModel::Train).data().toString();
            training += text == "Trains" ? 1 : 0;
        }
        QCOMPARE(training, trained);
        if (trained == 1) QVERIFY(driver.savePicture("fault-14-counts"));
    }

private:
    static int trainableByCommand(const QString& model) {
        QProcess temper;
        temper.start(QStringLiteral(TEMPER_PROGRAM), {"inspect", model, "--json"});
        if (!temper.waitForFinished(kPatienceMs)) return -1;
        int count = 0;
        const QJsonObject found = QJsonDocument::fromJson(temper.readAllStandardOutput()).object();
        if (!found.contains("parameters")) return -1;
        for (const QJsonValue parameter : found["parameters"].toArray())
            count += parameter["trainable"].toBool() ? 1 : 0;
        return count;
    }
};

QTEST_MAIN(ParameterCountsTest)
#include "parameter_counts_test.moc"
