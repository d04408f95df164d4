// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/hint_text.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/loss/loss_plan.h"
#include "engine/training/monitors/divergence_watch.h"
#include "engine/training/spec/run_settings.h"
#include "tests/ui/window_driver.h"
#include "ui/checks/problem_list.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

const QRegularExpression kFlag("--[a-z]");

std::unique_ptr<Graph> typed(const char* model) {
    auto graph = parseText(std::string("<ir_version: 8, opset_import: [\"\" : 17]>\n") + model);
    inferTypes(*graph, standardOps().catalog);
    return graph;
}

}  // namespace

/// The hints of the engine name flags and keys; those of the window, what can be clicked.
class HintTextTest : public QObject {
    Q_OBJECT

private slots:
    void flagsBecomeWhatTheWindowHas_data() {
        QTest::addColumn<QString>("hint");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const char* hint, const char* shown) {
            QTest::newRow(name) << QString(hint) << QString(shown);
        };
        row("nothing to replace", "Choose another output -- or none.",
            "Choose another output -- or none.");
        row("W007", "To restore the file's types, export with --as-it-came.",
            "To restore the file's types, tick “Half precision, as in the original file” on "
            "export.");
        row("S005", "Measured. Without --restore-norm, only the merged weights train.",
            "Measured. If they stay merged, only the merged weights train.");
        row("D003",
            "Create the data with the model's own tokenizer. If this is the padding token, "
            "generate "
            "the artifacts with --pad-id 50257.",
            "Create the data with the model's own tokenizer. If this is the padding token, enter "
            "50257 as “Padding token” of the loss.");
        row("labels of steps",
            "The labels match classes along the last axis: generate the artifacts with --axis -1, "
            "or "
            "with axis=-1 in a formula.",
            "The labels match classes along the last axis: enter -1 as “Class axis” of the loss, "
            "or "
            "axis=-1 in a formula.");
        row("shorter labels",
            "Labels that are shorter need the CTC loss:\n    temper artifacts MODEL --loss ctc "
            "--out DIR\n    If each label belongs to a step, fill the other steps with a class for "
            "no label, or with -100:\n    temper artifacts MODEL --axis -1 --ignore-index -100 "
            "--out DIR",
            "Labels that are shorter need the CTC loss. If each label belongs to a step, fill the "
            "other steps with a class for no label, or with -100, and enter -1 as “Class axis”.");
        row("D002",
            "To train on classes, read it with --data 'csv:a.csv?target=y'. To predict its "
            "numbers: "
            "temper artifacts MODEL --loss mse --out DIR && temper train DIR --data csv:a.csv",
            "To train on classes, choose a loss for classes; to predict numbers, one for numbers.");
        row("NaN in a parameter",
            "Continue from a checkpoint, or freeze it with --freeze fc1.bias.",
            "Continue from a checkpoint, or freeze it on the page “Parameters”.");
        row("an exponent",
            "Powers of negative numbers need integer exponents. Freeze it with --freeze 'my p' "
            "when "
            "generating the artifacts.",
            "Powers of negative numbers need integer exponents. Freeze it on the page "
            "“Parameters”.");
        row("S001", "To train copies separately: --untie 'encoder.weight'.",
            "To train copies separately, choose “Train the copies separately”.");
        row("S002", "To keep them merged: --keep-merged a.weight.",
            "To keep them merged, choose “Leave as exported”.");
        row("a restored formula", "To train the tensors instead: --keep-merged a.scale b.scale.",
            "To train the tensors instead, choose “Leave as exported”.");
        row("a restored bias", "To train without them: --keep-merged fc.bias.",
            "To train without them, choose “Leave as exported”.");
        row("left as exported", "To restore the parameters, omit --keep-merged 'fc.*'.",
            "To restore the parameters, choose “Restore the parameters”.");
        row("S003",
            "They train. To restore them with new statistics from the training samples: "
            "--restore-norm '*', or names such as layer1.norm. To keep them, export without "
            "optimization: torch.onnx.export(..., optimize=False).",
            "They train. To restore them with new statistics from the training samples, choose "
            "“Put "
            "back batch normalization”. To keep them, export without optimization: "
            "torch.onnx.export(..., optimize=False).");
        row("G002",
            "Freeze them. Or pass the gradient straight through Round, or only '/q' "
            "(--straight-through Round).",
            "Freeze them. Or pass the gradient straight through Round, or only '/q'.");
        row("a constant", "Set the input 'sr' to a constant (--fix-input 'sr=VALUE'): it trains.",
            "Set the input 'sr' to a constant: it trains.");
        row("a setting", "Change 'clip_norm', or on the command line --clip-norm.",
            "Change “Clip gradient norm”.");
        row("a setting of one word", "Change 'threads'.", "Change “Threads”.");
        row("R001", "A lower learning rate, clipping (clip_norm) or clean data often help.",
            "A lower learning rate, clipping (“Clip gradient norm”) or clean data often help.");
        row("a name in a model", "Input 4 (sequence_lens) is given.",
            "Input 4 (sequence_lens) is given.");
        row("CTC", "If the steps lie along axis 0, set time_axis to it.",
            "If the steps lie along axis 0, enter it as “Time axis” of the loss.");
        row("D101", "Training stops at the first one; invalid=drop skips these samples.",
            "Training stops at the first one; “Leave out these samples” skips them.");
        row("D104",
            "Check the labels, or the names given with classes=; invalid=drop skips these samples.",
            "Check the labels; “Leave out these samples” skips them.");
        row("D111", "If their order has no meaning, omit the column with features=.",
            "If their order has no meaning, leave the column out of the file.");
        row("D114", "Repair what can't be read, or add invalid=drop to the data to skip it.",
            "Repair what can't be read, or choose “Leave out these samples”.");
        row("D116", "invalid=drop checks all of them.", "");
        row("NaN in the data", "Repair it, or skip such samples with the data option invalid=drop.",
            "Repair it, or leave such samples out on the page “Data”.");
        row("labels outside the classes",
            "If these are 3 classes, give the model as many outputs:\n    temper artifacts MODEL "
            "--head-classes 3 --out DIR && temper train DIR --data 'csv:a.csv?target=y'\n    If it "
            "is a number to predict: temper artifacts MODEL --loss mse --out DIR\n    To skip "
            "samples with such labels, add invalid=drop to the data.",
            "If these are 3 classes, give the model as many outputs. If it is a number to predict, "
            "choose a loss for numbers.");
        row("no path", "Write kind:path?key=value&..., e.g. csv:iris.csv?target=species.",
            "Enter the path of a file or of a folder.");
        row("options of a path", "Options follow the path: csv:iris.csv?target=species&split=0.8.",
            "");
        row("another command", "'temper inspect' lists them.", "");
        row("A008 of a sequence",
            "Let it read a tensor (--loss-input NAME, or its name in a formula) such as 'h', from "
            "which the sequence is made.",
            "Let it read a tensor such as 'h', from which the sequence is made.");
        row("of a plugin", "Read the manual. Then add --sharp-edges. It helps.",
            "Read the manual. It helps.");
    }
    void flagsBecomeWhatTheWindowHas() {
        QFETCH(QString, hint);
        QFETCH(QString, shown);
        QCOMPARE(hintText(hint.toStdString()), shown);
        QCOMPARE(hintText(shown.toStdString()), shown);  // nothing changes twice
    }

    /// The words above fit what the engine says today.
    void theEnginesHintsAreThose() {
        const auto fixed = typed("m (float[2, 4] x) => (float[2, 4] y) { y = Relu(x) }");
        const auto batch = remarkOnFixedBatch(*fixed);
        QVERIFY(batch && QString::fromStdString(batch->hint).contains(kFlag));
        QCOMPARE(hintText(batch->hint),
                 QString("Train it with batches of 2, or choose “Allow any batch size”."));
        const auto two = typed(R"(m (int64[N, T] input_ids) => (float[N, T, 3] logits,
                                                               float[N, T, 3] cache)
            <float[3, 3] e = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
                cache = Gather(e, input_ids)
                logits = Relu(cache)
            })");
        ArtifactSpec spec;
        spec.loss.key = "next-token";
        std::map<std::string, QString> shown;
        for (const Finding& finding : planLoss(*two, standardOps().catalog, spec).findings)
            if (QString::fromStdString(finding.hint).contains(kFlag))
                shown[finding.code] = hintText(finding.hint);
        QCOMPARE(shown["A021"], QString("To use another one, choose it under “Reads tensor”."));
        QCOMPARE(shown["A022"],
                 QString("If there is a padding token, enter it as “Padding token” of the loss."));
    }

    void whatTheEngineSaysAboutSettings() {
        RunSpec run;
        run.clipNorm = -1;
        QString range;
        try {
            requireInRange(run);
        } catch (const Error& error) {
            range = hintText(error.hint());
        }
        QCOMPARE(range, QString("Change “Clip gradient norm”."));
        const QString diverged = hintText(DivergedError(Divergence()).hint());
        QVERIFY2(diverged.contains("clipping (“Clip gradient norm”)") &&
                     diverged.contains("turn off the guard (“Stop if the loss diverges”)"),
                 qPrintable(diverged));
    }

    void dataThatCanNotBeOpened_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("hint");
        QTest::addColumn<int>("buttons");
        QTest::newRow("a value is missing")
            << "gap.csv" << QByteArray("x,y\n1,2\n,3\n")
            << "Choose “Leave out these rows”, or “Fill in the mean”." << 2;
        QTest::newRow("one column") << "label.csv" << QByteArray("label\n1\n2\n")
                                    << "Check what separates its columns." << 0;
        QTest::newRow("unknown") << "notes.xyz" << QByteArray("abc")
                                 << "What can be read: Folder of pictures, CSV, JSONL, NPZ, NPY or "
                                    "IDX file."
                                 << 0;
    }
    /// The hint names the buttons beside it.
    void dataThatCanNotBeOpened() {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, hint);
        QFETCH(int, buttons);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString path = driver.filePath(file);
        QFile written(path);
        QVERIFY(written.open(QIODevice::WriteOnly) && written.write(content) == content.size());
        written.close();
        TrainingSpec spec = driver.project().spec();
        spec.run.data = path.toStdString();
        driver.project().edit("Data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        QCOMPARE(driver.project().dataProblem().hint, hint);
        const auto problems = problemsOf(driver.project());
        const auto found = std::ranges::find(
            problems, "P002", [](const ListedProblem& listed) { return listed.finding.code; });
        QVERIFY(found != problems.end());
        const auto fixes = fixesOf(found->finding, driver.project());
        QCOMPARE(static_cast<int>(fixes.size()), buttons);
        for (const ProblemFix& fix : fixes)
            QVERIFY2(hint.contains("“" + fix.label + "”"), qPrintable(fix.label));
    }

    /// A button has the name that the hint gives it.
    void theNamedButtonIsThere() {
        WindowDriver driver;
        const QString path = driver.filePath("fixed.onnx");
        saveModel(*typed("m (float[2, 4] x) => (float[2, 2] y) "
                         "<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { y = MatMul(x, w) }"),
                  path.toStdString());
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() && !driver.project().isPreparing(),
                                 kPatienceMs);
        bool isSeen = false;
        for (const ListedProblem& listed : problemsOf(driver.project())) {
            const QString hint = hintText(listed.finding.hint);
            QVERIFY2(!hint.contains(kFlag), qPrintable(hint));
            if (listed.finding.code != "W008") continue;
            isSeen = true;
            const auto fixes = fixesOf(listed.finding, driver.project());
            QVERIFY(!fixes.empty());
            QVERIFY2(hint.contains("“" + fixes.front().label + "”"), qPrintable(hint));
        }
        QVERIFY(isSeen);
    }
};

QTEST_MAIN(HintTextTest)
#include "hint_text_test.moc"
