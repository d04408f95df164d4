// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <algorithm>

#include "engine/onnx/model_file.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/panels/parameters/parameter_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;
using Names = std::vector<std::string>;

/// What an exporter did to parameters, and what the metadata says about it.
struct Export {
    QString text;
    std::string signature = {};
    std::map<std::string, std::string> sources = {};
    std::map<std::string, std::string> operations = {};
};

const Export kTied{
    "g (int64[N] x) => (y) <float[3, 2] head.weight = {1, 2, 3, 4, 5, 6},"
    " float[2, 3] val_1 = {1, 3, 5, 2, 4, 6}> { e = Gather(head.weight, x) y = MatMul(e, val_1) }",
    "p_w: PARAMETER target='head.weight'\n",
    {{"val_1", "['head.weight']"}}};
const Export kMerged{
    "g (float[N, 2] x) => (y) <float[2] a.weight = {1, 1}, float[2] a.bias = {0, 0}> {"
    " h = LayerNormalization(x, a.weight, a.bias) y = LayerNormalization(h, a.weight, a.bias) }",
    "p_a_w: PARAMETER target='a.weight'\np_a_b: PARAMETER target='a.bias'\n"
    "p_b_w: PARAMETER target='b.weight'\np_b_b: PARAMETER target='b.bias'\n",
    {},
    {{"h", "layer_norm.default](args = (%x, [2], %p_a_w, %p_a_b))"},
     {"y", "layer_norm.default](args = (%h, [2], %p_b_w, %p_b_b))"}}};
const Export kEqual{
    "g (float[N, 4] x) => (y) <float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},"
    " float[4, 4] v = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}>"
    " { h = MatMul(x, w) y = MatMul(h, v) }"};
const Export kTable{
    "g (float[N, 1, 4, 4] x) => (y) <float[1, 1, 4, 4] bias_7 = {4, 3, 1, 0, 5, 4, 2, 1, 7, "
    "6, "
    "4, 3, 8, 7, 5, 4}> { y = Add(x, bias_7) }"};
const Export kHead{
    "g (int64[N] x) => (y) <float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},"
    " float[4, 4] v = {1, 5, 9, 4, 2, 6, 1, 5, 3, 7, 2, 6, 4, 8, 3, 7}>"
    " { h = Gather(w, x) y = MatMul(h, v) }"};
const Export kShared{
    "g (float[N, 2] x) => (y) <float[2] s = {1, 1}, float[2] a = {0, 1}, float[2] b = {2, 0}> {"
    " h = LayerNormalization(x, s, a) y = LayerNormalization(h, s, b) }"};
const Export kFormula{"g (float[N, 2] x) => (y) <float[2] exp = {1, 2}> { y = Mul(x, exp) }",
                      "p_s: PARAMETER target='logit_scale'\n",
                      {{"exp", "['logit_scale']"}},
                      {{"y", "mul.Tensor](args = (%x, %exp))"}}};
const Export kFolded{
    "g (float[N, 1, 4] x) => (y) <float[1, 1, 1] conv.weight = {3}, float[1] conv.weight_bias = "
    "{1}>"
    " { y = Conv(x, conv.weight, conv.weight_bias) }",
    "p_w: PARAMETER target='conv.weight'\np_bn_w: PARAMETER target='bn.weight'\n"
    "p_bn_b: PARAMETER target='bn.bias'\nb_bn_m: BUFFER target='bn.running_mean'\n",
    {},
    {{"y", "batch_norm](args = (%conv1d, %p_bn_w, %p_bn_b, %b_bn_m, 0.1, 1e-05))"}}};

}  // namespace

/// Buttons at the findings overrule what the exporter did to parameters.
class ProvenanceFixesTest : public QObject {
    Q_OBJECT

private slots:
    void findingsHaveButtons_data();
    void findingsHaveButtons();
    void choicesAreUndone_data();
    void choicesAreUndone();
    void aRestoredNormIsLeftMergedAgain();
    void aConstantWeightTrainsByItsButtonOrTick();

private:
    static bool isPrepared(WindowDriver& driver) {
        return driver.project().preparation() != nullptr && !driver.project().isPreparing() &&
               !driver.project().tasks()->isBusy();
    }
    static void open(WindowDriver& driver, const Export& exported) {
        const QString path = driver.filePath("model.onnx");
        const std::string header = "<ir_version: 10, opset_import: [\"\" : 18]>\n";
        saveModel(*test::exportedModel(header + exported.text.toStdString(), exported.signature, {},
                                       exported.sources, exported.operations),
                  path.toStdString());
        driver.window().files().open(path);
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
        driver.window().docks().show("problems");
    }
    static QTableView& table(WindowDriver& driver) {
        return *driver.window().findChild<QTableView*>("problemTable");
    }
    /// -1 if there is none.
    static int rowOf(WindowDriver& driver, const std::string& code) {
        const auto* problems = qobject_cast<const ProblemModel*>(table(driver).model());
        for (int row = 0; row < problems->rowCount(); ++row)
            if (problems->problem(row).finding.code == code) return row;
        return -1;
    }
    /// The finding with this code and such a button; -1 if there is none.
    static int findRow(WindowDriver& driver, const std::string& code, const QString& label) {
        const auto* problems = qobject_cast<const ProblemModel*>(table(driver).model());
        for (int row = 0; row < problems->rowCount(); ++row) {
            const Finding& finding = problems->problem(row).finding;
            if (finding.code != code) continue;
            for (const ProblemFix& fix : fixesOf(finding, driver.project()))
                if (fix.label == label) return row;
        }
        return -1;
    }
    /// The labels of the buttons at a finding; clicks the one with this label.
    static QStringList click(WindowDriver& driver, const std::string& code, const QString& label) {
        table(driver).selectRow(rowOf(driver, code));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QStringList labels;
        for (auto* button : driver.window().findChildren<QPushButton*>("problemFix")) {
            labels << button->text();
            if (button->text() == label) button->click();
        }
        return labels;
    }
};

void ProvenanceFixesTest::findingsHaveButtons_data() {
    QTest::addColumn<Export>("exported");
    QTest::addColumn<std::string>("code");
    QTest::addColumn<QString>("label");
    QTest::addColumn<TrainingSpec>("expected");
    TrainingSpec untied, kept, result, tied, parted, restored;
    untied.sharing.untie = {"head.weight"};
    kept.sharing.keepMerged = {"a.weight"};
    result.sharing.keepMerged = {"logit_scale"};
    tied.sharing.tie = {"w", "v"};
    parted.sharing.part = {"s"};
    restored.restoreNorms = {"*"};
    const auto row = [](const char* name, const Export& exported, const char* code,
                        const char* label, const TrainingSpec& expected) {
        QTest::newRow(name) << exported << std::string(code) << QString(label) << expected;
    };
    row("copies", kTied, "S001", "Train the copies separately", untied);
    row("merged tensors", kMerged, "S002", "Leave as exported", kept);
    row("a formula", kFormula, "S002", "Leave as exported", result);
    row("equal tensors", kEqual, "S004", "Train them as one", tied);
    row("a tensor of ones", kShared, "S004", "Give each node its own tensor", parted);
    row("a merged norm", kFolded, "S003", "Put back batch normalization", restored);
}

void ProvenanceFixesTest::findingsHaveButtons() {
    QFETCH(Export, exported);
    QFETCH(std::string, code);
    QFETCH(QString, label);
    QFETCH(TrainingSpec, expected);
    WindowDriver driver;
    open(driver, exported);
    const auto* problems = qobject_cast<const ProblemModel*>(table(driver).model());
    QVERIFY(rowOf(driver, code) >= 0);
    const Finding before = problems->problem(rowOf(driver, code)).finding;
    const auto isThere = [&] {
        const int row = rowOf(driver, code);
        return row >= 0 && problems->problem(row).finding.message == before.message;
    };
    QCOMPARE(click(driver, code, label), QStringList{label});
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver) && !isThere(); }, kPatienceMs));
    QVERIFY(driver.project().spec().sharing == expected.sharing);
    QCOMPARE(driver.project().spec().restoreNorms, expected.restoreNorms);
    driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver) && isThere(); }, kPatienceMs));
}

void ProvenanceFixesTest::choicesAreUndone_data() {
    QTest::addColumn<Export>("exported");
    QTest::addColumn<std::string>("code");
    QTest::addColumn<QString>("label");
    QTest::addColumn<std::string>("codeAfterwards");
    QTest::addColumn<QString>("back");
    const auto row = [](const char* name, const Export& exported, const char* code,
                        const char* label, const char* after, const char* back) {
        QTest::newRow(name) << exported << std::string(code) << QString(label) << std::string(after)
                            << QString(back);
    };
    row("apart", kTied, "S001", "Train the copies separately", "S001", "Train them as one");
    row("merged", kMerged, "S002", "Leave as exported", "S002", "Restore the parameters");
    row("a formula", kFormula, "S002", "Leave as exported", "S002", "Restore the parameters");
    row("as one", kEqual, "S004", "Train them as one", "S001", "Train the copies separately");
    row("a table by place", kTable, "S001", "Train the copies separately", "S001",
        "Train them as one");
    row("a head without metadata", kHead, "S001", "Train the copies separately", "S004",
        "Train them as one");
    row("parted", kShared, "S004", "Give each node its own tensor", "S002", "Leave as exported");
}

/// Without undoing: as after reopening the project.
void ProvenanceFixesTest::choicesAreUndone() {
    QFETCH(Export, exported);
    QFETCH(std::string, code);
    QFETCH(QString, label);
    QFETCH(std::string, codeAfterwards);
    QFETCH(QString, back);
    WindowDriver driver;
    open(driver, exported);
    const SharingChoices none;
    click(driver, code, label);
    QVERIFY(QTest::qWaitFor([&] { return driver.project().spec().sharing != none; }, kPatienceMs));
    const auto isOffered = [&] {
        return isPrepared(driver) && rowOf(driver, codeAfterwards) >= 0 &&
               findRow(driver, codeAfterwards, back) >= 0;
    };
    QVERIFY(QTest::qWaitFor(isOffered, kPatienceMs));
    table(driver).selectRow(findRow(driver, codeAfterwards, back));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (auto* button : driver.window().findChildren<QPushButton*>("problemFix"))
        if (button->text() == back) button->click();
    QVERIFY(QTest::qWaitFor([&] { return driver.project().spec().sharing == none; }, kPatienceMs));
}

void ProvenanceFixesTest::aRestoredNormIsLeftMergedAgain() {
    WindowDriver driver;
    open(driver, kFolded);
    click(driver, "S003", "Put back batch normalization");
    QVERIFY(QTest::qWaitFor([&] { return rowOf(driver, "S005") >= 0; }, kPatienceMs));
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QVERIFY(driver.project().model()->graph->find("bn.running_var") != nullptr);
    click(driver, "S005", "Leave them merged");
    QVERIFY(QTest::qWaitFor([&] { return rowOf(driver, "S003") >= 0; }, kPatienceMs));
    QVERIFY(driver.project().spec().restoreNorms.empty());
}

/// Both say the same, and each undoes the other.
void ProvenanceFixesTest::aConstantWeightTrainsByItsButtonOrTick() {
    WindowDriver driver;
    open(driver, {"g (float[N, 2] x) => (float[N, 2] y) <float[2] b = {1, 2}> {"
                  " c = Constant<value = float[2, 2] {1, 2, 3, 4}>()"
                  " h = MatMul(x, c) y = Add(h, b) }"});
    const auto trains = [&] {
        const auto& names = driver.project().preparation()->plan.trainable;
        return isPrepared(driver) && std::ranges::count(names, "c") == 1;
    };
    QVERIFY(!trains());
    QCOMPARE(click(driver, "W001", "Train it"), QStringList{"Train it"});
    QVERIFY(QTest::qWaitFor(trains, kPatienceMs));
    QVERIFY(driver.goTo("parameters"));
    auto* parameters = driver.window().pages().page("parameters")->findChild<ParameterModel*>();
    int row = 0;
    while (row < parameters->rowCount() && parameters->nameOf(row) != "c") ++row;
    const QModelIndex tick = parameters->index(row, ParameterModel::Train);
    QCOMPARE(tick.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    QVERIFY(parameters->setData(tick, Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver) && !trains(); }, kPatienceMs));
    QCOMPARE(tick.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    QVERIFY(parameters->setData(tick, Qt::Checked, Qt::CheckStateRole));
    QVERIFY(QTest::qWaitFor(trains, kPatienceMs));
}

QTEST_MAIN(ProvenanceFixesTest)
#include "provenance_fixes_test.moc"
