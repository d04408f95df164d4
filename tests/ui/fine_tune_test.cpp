// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <set>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/busy_workers.h"
#include "tests/ui/picture_folder.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/checks/data_fixes.h"
#include "ui/checks/problem_list.h"
#include "ui/document/planned_steps.h"
#include "ui/panels/objective/fine_tune_sheet.h"
#include "ui/proposals/data_proposal.h"
#include "ui/proposals/fine_tuning.h"
#include "ui/proposals/loss_proposal.h"
#include "ui/widgets/number_edit.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

const char* const kClassifier = R"(m (float[N, 4] x) => (float[N, 3] y)
    <float[4, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.1, 0.2, 0.3},
     float[3] b = {0, 0, 0}> { y = Gemm(x, w, b) })";
const char* const kSoftmax = R"(m (float[N, 4] x) => (float[N, 3] y)
    <float[4, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.1, 0.2, 0.3}> {
        logits = MatMul(x, w)
        y = Softmax(logits)
    })";
const char* const kTwoLayers = R"(m (float[N, 4] x) => (float[N, 3] y)
    <float[4, 4] w1 = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, float[4] b1 = {0, 0, 0, 0},
     float[4, 3] w2 = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.1, 0.2, 0.3},
     float[3] b2 = {0, 0, 0}> {
        h = Gemm(x, w1, b1)
        r = Relu(h)
        y = Gemm(r, w2, b2)
    })";
const char* const kNorms = R"(m (float[N, 4] x) => (float[N, 3] y)
    <float[4, 4] w1 = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, float[4] b1 = {0, 0, 0, 0},
     float[4] scale = {1, 1, 1, 1}, float[4] shift = {0, 0, 0, 0}, float[4] mean = {0, 0, 0, 0},
     float[4] var = {1, 1, 1, 1},
     float[4, 3] w2 = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.1, 0.2, 0.3},
     float[3] b2 = {0, 0, 0}> {
        h = Gemm(x, w1, b1)
        n = BatchNormalization(h, scale, shift, mean, var)
        r = Relu(n)
        y = Gemm(r, w2, b2)
    })";
const char* const kBinary = R"(m (float[N, 4] x) => (float[N, 1] y)
    <float[4, 1] w = {0.1, 0.2, -0.3, 0.4}> { z = MatMul(x, w)  y = Sigmoid(z) })";
const char* const kSteps = R"(m (float[N, 4, 2] x) => (float[N, 4, 3] y)
    <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}> { y = MatMul(x, w) })";
const char* const kNumbers = R"(m (float[N, 4] x) => (float[N, 2] y)
    <float[4, 2] w = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}> { y = MatMul(x, w) })";
const char* const kFixedHead = R"(m (float[N, 4] x) => (float[N, 2] y)
    <float[4, 2] w = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, float[2] c = {1, 2}> {
        z = MatMul(x, w)
        y = Mul(z, c)
    })";
const char* const kOneSample = R"(m (float[1, 4] x) => (float[1, 2] y)
    <float[4, 2] w = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}> { y = MatMul(x, w) })";
const char* const kTokens = R"(m (int64[N, T] input_ids) => (float[N, T, 5] logits)
    <float[5, 5] e = {0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5,
                      0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5}> {
        logits = Gather(e, input_ids)
    })";

Tensor floats(const Shape& shape, const std::function<float(size_t)>& value) {
    Tensor tensor(DType::Float32, shape);
    const auto values = tensor.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    return tensor;
}

Tensor integers(const Shape& shape, int64_t count) {
    Tensor tensor(DType::Int64, shape);
    const auto values = tensor.mutableValues<int64_t>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i) % count;
    return tensor;
}

Tensor inputs(const Shape& shape) {
    return floats(shape, [](size_t i) { return 0.1F * static_cast<float>(i % 7) - 0.3F; });
}

std::map<std::string, Tensor> samplesOf(const QString& kind) {
    constexpr int64_t kCount = 40, kMany = 300;
    if (kind == "three classes")
        return {{"x", inputs({kCount, 4})}, {"labels", integers({kCount}, 3)}};
    if (kind == "many of three classes")
        return {{"x", inputs({kMany, 4})}, {"labels", integers({kMany}, 3)}};
    if (kind == "two classes")
        return {{"x", inputs({kCount, 4})}, {"labels", integers({kCount}, 2)}};
    if (kind == "a class for each step")
        return {{"x", inputs({kCount, 4, 2})}, {"labels", integers({kCount, 4}, 3)}};
    if (kind == "tokens") return {{"input_ids", integers({kCount, 6}, 5)}};
    const bool areAnswers = kind == "answers";
    return {{"x", inputs({kCount, 4})}, {"target", floats({kCount, 2}, [areAnswers](size_t i) {
                                             return areAnswers ? static_cast<float>(i % 2)
                                                               : 0.37F * static_cast<float>(i % 5);
                                         })}};
}

QString textsIn(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisibleTo(&widget)) texts << label->text();
    return texts.join('\n');
}

QString textOf(const QWidget& sheet, const char* label) {
    return sheet.findChild<QLabel*>(label)->text();
}

}  // namespace

class FineTuneTest : public QObject {
    Q_OBJECT

private slots:
    void theLossFitsOutputsAndTargets_data();
    void theLossFitsOutputsAndTargets();
    void picturesAreScaledAsTheirModelWantsIt_data();
    void picturesAreScaledAsTheirModelWantsIt();
    void theScaleFitsTheSamples_data();
    void theScaleFitsTheSamples();
    void theScaleIsChosenInTheSheet();
    void everyProposalHasItsReason_data();
    void everyProposalHasItsReason();
    void batchesAreProposedForTheSamples();
    void batchNormsLearnOnlyIfAllLayersDo_data();
    void batchNormsLearnOnlyIfAllLayersDo();
    void scopesTrainWhatTheySay();
    void fewSamplesTrainTheLastLayer();
    void theLastLayerLearnsFirst();
    void aBinaryClassifierIsFineTunedInFewClicks();
    void aFixedBatchIsOfferedFirst();
    void cancellingTakesEverythingBack();
    void everythingIsOneStepToUndo();
    void whatIsInTheWayIsSaid();
    void whatWasCancelledIsTriedAgain_data();
    void whatWasCancelledIsTriedAgain();
    void theFoundRateIsUsed();
    void aTypedRateStays();
    void timeAndMemoryAreSaid();
    void everyProposalCanBeChanged_data();
    void everyProposalCanBeChanged();

private:
    std::shared_ptr<const LoadedModel> model(const char* graph);
    std::shared_ptr<const LoadedData> data(const QString& kind);
    QString path(const QString& name) const { return folder_.filePath(name); }
    /// Opens a model and data in the window, as a person does who drops both.
    bool open(WindowDriver& driver, const char* graph, const QString& kind);
    static FineTuneSheet* sheet(WindowDriver& driver);
    static bool isIdle(WindowDriver& driver);

    OpSet ops_ = standardOps();
    QTemporaryDir folder_;
};

std::shared_ptr<const LoadedModel> FineTuneTest::model(const char* graph) {
    saveModel(*parseText(std::string("<ir_version: 8, opset_import: [\"\" : 13]>\n") + graph),
              path("model.onnx").toStdString());
    return loadForwardModel(path("model.onnx").toStdString(), ops_, {}, {});
}

std::shared_ptr<const LoadedData> FineTuneTest::data(const QString& kind) {
    writeNpz(path("data.npz").toStdString(), samplesOf(kind));
    return loadData("npz:" + path("data.npz").toStdString(), {});
}

bool FineTuneTest::open(WindowDriver& driver, const char* graph, const QString& kind) {
    model(graph);
    data(kind);
    driver.window().files().openAll({path("data.npz"), path("model.onnx")});
    return QTest::qWaitFor([&] { return driver.project().data() != nullptr; }, kPatienceMs) &&
           isIdle(driver);
}

FineTuneSheet* FineTuneTest::sheet(WindowDriver& driver) {
    return driver.window().findChild<FineTuneSheet*>();
}

bool FineTuneTest::isIdle(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
}

void FineTuneTest::theLossFitsOutputsAndTargets_data() {
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("samples");
    QTest::addColumn<QString>("loss");   ///< empty: none fits
    QTest::addColumn<QString>("reads");  ///< empty: the model's output
    QTest::addColumn<int>("head");
    const auto row = [](const char* name, const char* graph, const char* samples, const char* loss,
                        const char* reads = "", int head = 0) {
        QTest::newRow(name) << QByteArray(graph) << QString(samples) << QString(loss)
                            << QString(reads) << head;
    };
    row("classes", kClassifier, "three classes", "cross-entropy");
    row("softmax in the model", kSoftmax, "three classes", "cross-entropy", "logits");
    row("fewer classes", kClassifier, "two classes", "cross-entropy", "", 2);
    row("more classes", kNumbers, "three classes", "cross-entropy", "", 3);
    row("more classes without a head", kFixedHead, "three classes", "");
    row("classes along the last axis", kSteps, "a class for each step", "cross-entropy axis -1");
    row("one number for two classes", kBinary, "two classes", "bce-with-logits", "z");
    row("numbers", kNumbers, "numbers", "mse");
    row("zeros and ones", kNumbers, "answers", "bce-with-logits");
    row("tokens", kTokens, "tokens", "next-token");
    row("another shape", kSteps, "numbers", "");
}

void FineTuneTest::theLossFitsOutputsAndTargets() {
    QFETCH(QByteArray, graph);
    QFETCH(QString, samples);
    QFETCH(QString, loss);
    QFETCH(QString, reads);
    QFETCH(int, head);
    const auto proposal = proposeLoss(*model(graph.constData()), *data(samples), ops_);
    QCOMPARE(proposal.has_value(), !loss.isEmpty());
    if (!proposal) return;
    QString found = QString::fromStdString(proposal->loss.key);
    for (const auto& [key, value] : proposal->loss.values)
        found += QString(" %1 %2").arg(QString::fromStdString(key)).arg(value);
    QCOMPARE(found, loss);
    QCOMPARE(QString::fromStdString(proposal->inputs.empty() ? "" : proposal->inputs.front()),
             reads);
    QCOMPARE(proposal->headClasses, int64_t{head});
    QVERIFY(!proposal->choice.value.isEmpty() && !proposal->choice.why.isEmpty());
}

void FineTuneTest::picturesAreScaledAsTheirModelWantsIt_data() {
    QTest::addColumn<QString>("weight");
    QTest::addColumn<QString>("first");  ///< what the model does to its input
    QTest::addColumn<QString>("options");
    QTest::newRow("any network") << "conv1.weight"
                                 << ""
                                 << "mean=0.485,0.456,0.406&split=0.8&std=0.229,0.224,0.225";
    QTest::newRow("ViT of Transformers") << "vit.embeddings.weight"
                                         << ""
                                         << "mean=0.5&split=0.8&std=0.5";
    QTest::newRow("a network that scales them") << "conv1.weight"
                                                << "x1 = Sub(x, m)"
                                                << "split=0.8";
}

void FineTuneTest::picturesAreScaledAsTheirModelWantsIt() {
    QFETCH(QString, weight);
    QFETCH(QString, first);
    QFETCH(QString, options);
    writePictureFolder(path("shapes"), 2, 6);
    const QString graph = QString(R"(<ir_version: 8, opset_import: ["" : 13]>
        m (float[N, 3, 24, 32] x) => (float[N, 2] y) <float[2, 3, 1, 1] w = {1, 0, 0, 0, 0, 1},
        float[1] m = {0.5}> {
            %1
            c = Conv(%2, w)
            p = GlobalAveragePool(c)
            y = Flatten(p)
        })")
                              .arg(first, first.isEmpty() ? "x" : "x1");
    const auto parsed = parseText(graph.toStdString());
    parsed->renameValue(parsed->at("w"), weight.toStdString());
    saveModel(*parsed, path("pictures.onnx").toStdString());
    const auto model = loadForwardModel(path("pictures.onnx").toStdString(), ops_, {}, {});
    const auto samples = loadData("images:" + path("shapes").toStdString(), {}, {3, 24, 32, false});
    const DataProposal proposal = proposeData(*model, *samples, ops_.catalog, false);
    QCOMPARE(QString::fromStdString(proposal.source).section('?', 1), options);
}

void FineTuneTest::theScaleFitsTheSamples_data() {
    QTest::addColumn<QString>("samples");
    QTest::addColumn<QString>("scale");
    QTest::addColumn<bool>("isMeasured");
    QTest::newRow("grey pictures") << "grey pictures"
                                   << "0 to 1" << false;
    QTest::newRow("columns far from each other") << "far columns"
                                                 << "Mean 0, deviation 1 for each column" << true;
    QTest::newRow("columns near 0") << "near columns"
                                    << "Unchanged" << false;
}

void FineTuneTest::theScaleFitsTheSamples() {
    QFETCH(QString, samples);
    QFETCH(QString, scale);
    QFETCH(bool, isMeasured);
    std::shared_ptr<const LoadedData> loaded;
    if (samples == "grey pictures") {
        writePictureFolder(path("grey"), 2, 6);
        loaded = loadData("images:" + path("grey").toStdString(), {}, {1, 24, 32, false});
    } else {
        const int factor = samples == "far columns" ? 1000 : 1;
        QFile table(path("table.csv"));
        QVERIFY(table.open(QIODevice::WriteOnly));
        table.write("a,b,c,d,kind\n");
        for (int i = 0; i < 20; ++i)
            table.write(QString("0.%1,%2,0.5,1,%3\n")
                            .arg(i % 7)
                            .arg(factor * (i % 3))
                            .arg(i % 2 ? "u" : "v")
                            .toUtf8());
        table.close();
        loaded = loadData("csv:" + path("table.csv").toStdString() + "?target=kind", {});
    }
    const auto graph = samples == "grey pictures" ? model(R"(m (float[N, 1, 24, 32] x) =>
        (float[N, 2] y) <float[2, 1, 1, 1] w = {1, -1}> {
            c = Conv(x, w)
            p = GlobalAveragePool(c)
            y = Flatten(p)
        })")
                                                  : model(kClassifier);
    const DataProposal proposal = proposeData(*graph, *loaded, ops_.catalog, false);
    const auto found = std::ranges::find(proposal.choices, QString("scale"), &ProposedChoice::id);
    QVERIFY(found != proposal.choices.end());
    QCOMPARE(found->value, scale);
    QCOMPARE(proposal.source.find("normalize=standard") != std::string::npos, isMeasured);
}

void FineTuneTest::theScaleIsChosenInTheSheet() {
    WindowDriver driver;
    QVERIFY(open(driver, kClassifier, "three classes"));
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(isIdle(driver));
    auto* kinds = sheet(driver)->findChild<QComboBox*>("fineTune-normalize");
    QVERIFY(kinds != nullptr);
    kinds->setCurrentIndex(kinds->findData(static_cast<int>(InputScale::Kind::Given)));
    emit kinds->activated(kinds->currentIndex());
    auto* mean = sheet(driver)->findChild<QLineEdit*>("fineTune-mean");
    QVERIFY(mean->isVisible());
    mean->setFocus();
    mean->setText("0.25");
    QTest::keyClick(mean, Qt::Key_Return);
    const auto source = [&] { return QString::fromStdString(driver.project().spec().run.data); };
    QVERIFY2(source().contains("mean=0.25") && source().contains("std=1"), qPrintable(source()));
    QVERIFY(sheet(driver)->isVisible());  // Enter in a field does not close it
    // Another scope, chosen while the data is being read, leaves it as it was chosen.
    auto* scope = sheet(driver)->findChild<QComboBox*>("fineTuneScope");
    QCOMPARE(scope->currentData().toInt(), static_cast<int>(FineTuneScope::Everything));
    QVERIFY(driver.project().isLoadingData());
    scope->setCurrentIndex(scope->findData(static_cast<int>(FineTuneScope::LastLayer)));
    QVERIFY(isIdle(driver));
    QVERIFY(source().contains("mean=0.25"));
    const QString said = textsIn(*sheet(driver));
    QVERIFY2(said.contains("only the decision is new"), qPrintable(said));
    sheet(driver)->reject();
    QVERIFY(!source().contains("mean"));
}

void FineTuneTest::everyProposalHasItsReason_data() {
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("samples");
    QTest::addColumn<QString>("ids");
    QTest::newRow("another head, and norms") << QByteArray(kNorms) << "two classes"
                                             << "loss head validation scale norms";
    QTest::newRow("numbers") << QByteArray(kNumbers) << "numbers"
                             << "loss validation scale";
    QTest::newRow("tokens") << QByteArray(kTokens) << "tokens"
                            << "loss validation";
}

void FineTuneTest::everyProposalHasItsReason() {
    QFETCH(QByteArray, graph);
    QFETCH(QString, samples);
    QFETCH(QString, ids);
    const auto loaded = model(graph.constData());
    const auto given = data(samples);
    for (const FineTuneScope scope :
         {FineTuneScope::LastLayer, FineTuneScope::LastLayers, FineTuneScope::BiasesAndNorms,
          FineTuneScope::LastLayerFirst, FineTuneScope::Everything}) {
        const FineTuning tuning = proposeFineTuning({*loaded, *given, ops_, {}}, scope);
        QStringList found;
        for (const ProposedChoice& choice : tuning.choices) {
            found << choice.id;
            for (const QString& text : {choice.title, choice.value, choice.why, choice.page})
                QVERIFY2(!text.isEmpty(), qPrintable(choice.id));
        }
        QCOMPARE(found.join(' '), ids);
        const std::set<QString> reasons{tuning.whyEpochs, tuning.whyRate, tuning.whyBatch};
        QVERIFY(reasons.size() == 3 && !reasons.contains(QString()));
        QVERIFY(!whyScope(scope, *loaded, ops_, given->training()->size()).isEmpty());
    }
}

void FineTuneTest::batchesAreProposedForTheSamples() {
    const auto graph = model(kClassifier);
    const auto propose = [&](const char* samples, std::optional<int64_t> fixedBatch) {
        return proposeFineTuning({*graph, *data(samples), ops_, {}, fixedBatch},
                                 FineTuneScope::Everything);
    };
    const FineTuning few = propose("three classes", {});
    QCOMPARE(few.spec.run.batchSize, int64_t{4});
    QVERIFY2(few.whyBatch.contains("few samples"), qPrintable(few.whyBatch));
    const FineTuning many = propose("many of three classes", {});
    QCOMPARE(many.spec.run.batchSize, int64_t{32});
    QVERIFY2(many.whyBatch.contains("usual"), qPrintable(many.whyBatch));
    const FineTuning fixed = propose("three classes", 5);
    QCOMPARE(fixed.spec.run.batchSize, int64_t{5});
    QVERIFY2(fixed.whyBatch.contains("no other number"), qPrintable(fixed.whyBatch));
}

void FineTuneTest::batchNormsLearnOnlyIfAllLayersDo_data() {
    QTest::addColumn<FineTuneScope>("scope");
    QTest::addColumn<QString>("samples");
    QTest::addColumn<bool>("learn");
    QTest::addColumn<QString>("why");
    const QString many = "many of three classes";
    QTest::newRow("everything") << FineTuneScope::Everything << many << true << "All layers change";
    QTest::newRow("small batches")
        << FineTuneScope::Everything << "three classes" << false << "too small";
    QTest::newRow("the last layer") << FineTuneScope::LastLayer << many << false << "do not change";
    QTest::newRow("the last layer first")
        << FineTuneScope::LastLayerFirst << many << false << "While the last layer learns";
}

void FineTuneTest::batchNormsLearnOnlyIfAllLayersDo() {
    QFETCH(FineTuneScope, scope);
    QFETCH(QString, samples);
    QFETCH(bool, learn);
    QFETCH(QString, why);
    const auto graph = model(kNorms);
    const auto given = data(samples);
    const FineTuning tuning = proposeFineTuning({*graph, *given, ops_, {}}, scope);
    QCOMPARE(tuning.spec.artifacts.frozenStatistics.empty(), learn);
    const auto found = std::ranges::find(tuning.choices, QString("norms"), &ProposedChoice::id);
    QVERIFY(found != tuning.choices.end());
    QCOMPARE(found->value, QString(learn ? "Update statistics" : "Freeze statistics"));
    QVERIFY2(found->why.contains(why), qPrintable(found->why));
}

void FineTuneTest::scopesTrainWhatTheySay() {
    const auto deep = model(R"(m (float[N, 4] x) => (float[N, 2] y)
        <float[4, 4] w1 = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, float[4] b1 = {0, 0, 0, 0},
         float[4, 4] w2 = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, float[4] b2 = {0, 0, 0, 0},
         float[4, 4] w3 = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, float[4] b3 = {0, 0, 0, 0},
         float[2, 4] w4 = {1, 0, 0, 0, 0, 1, 0, 0}, float[2] b4 = {0, 0}> {
            t = Transpose<perm = [1, 0]>(w4)
            m1 = MatMul(x, w1)  a1 = Add(m1, b1)  h1 = Relu(a1)
            m2 = MatMul(h1, w2)  a2 = Add(m2, b2)  h2 = Relu(a2)
            m3 = MatMul(h2, w3)  a3 = Add(m3, b3)  h3 = Relu(a3)
            m4 = MatMul(h3, t)  y = Add(m4, b4)
        })");
    const auto namesOf = [&](const LoadedModel& of, FineTuneScope scope) {
        QStringList list;
        for (const std::string& name : scopeParameters(scope, of, ops_))
            list << QString::fromStdString(name);
        return list.join(' ');
    };
    const auto names = [&](FineTuneScope scope) { return namesOf(*deep, scope); };
    QCOMPARE(names(FineTuneScope::LastLayer), QString("b4 w4"));
    QCOMPARE(names(FineTuneScope::LastLayers), QString("b2 b3 b4 w2 w3 w4"));
    QCOMPARE(names(FineTuneScope::BiasesAndNorms), QString("b1 b2 b3 b4"));
    QCOMPARE(names(FineTuneScope::Everything), QString("b1 b2 b3 b4 w1 w2 w3 w4"));
    QCOMPARE(namesOf(*model(kNorms), FineTuneScope::BiasesAndNorms), QString("b1 b2 scale shift"));
}

void FineTuneTest::fewSamplesTrainTheLastLayer() {
    const auto small = model(kClassifier);
    const auto samples = data("three classes");
    QCOMPARE(proposeScope({*small, *samples, ops_, {}}), FineTuneScope::Everything);
    const auto newHead = data("two classes");
    QCOMPARE(proposeScope({*small, *newHead, ops_, {}}), FineTuneScope::LastLayer);
}

/// Then everything, at a tenth of the rate: a third of the steps are the first phase's, also after
/// the number of epochs was changed.
void FineTuneTest::theLastLayerLearnsFirst() {
    WindowDriver driver;
    QVERIFY(open(driver, kTwoLayers, "three classes"));
    TrainingSpec spec = driver.project().spec();
    spec.run.accumulate = 2;
    driver.project().edit("Accumulate", spec);
    QVERIFY(isIdle(driver));
    QVERIFY(driver.click("bannerAction"));
    auto* which = sheet(driver)->findChild<QComboBox*>("fineTuneScope");
    which->setCurrentIndex(which->findData(static_cast<int>(FineTuneScope::LastLayerFirst)));
    auto* epochs = sheet(driver)->findChild<NumberEdit*>("fineTuneEpochs");
    type(epochs, "9");
    auto* start = sheet(driver)->findChild<QPushButton*>("fineTuneStart");
    QVERIFY(QTest::qWaitFor([&] { return start->isEnabled(); }, kPatienceMs));
    const std::vector<ParameterGroup> groups = driver.project().spec().artifacts.parameterGroups;
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(
        QTest::qWaitFor([&] { return driver.run().state() == RunState::Finished; }, kPatienceMs));
    QCOMPARE(groups.size(), size_t{1});
    QCOMPARE(groups.front().pattern, std::string("*, !b2, !w2"));
    QCOMPARE(groups.front().startStep, driver.run().totalSteps() / 3);
    const auto& rates = driver.run().learningRate().points();
    QVERIFY(rates.size() > 2);
    QVERIFY(std::abs(rates.front().y / rates.back().y - 10) < 1e-4);
    // A run that ends before is a problem.
    spec = driver.project().spec();
    spec.run.epochs = 1;
    driver.project().edit("Shorten", spec);
    QVERIFY(isIdle(driver));
    const auto codes = [&] {
        QStringList found;
        for (const ListedProblem& listed : problemsOf(driver.project()))
            found << QString::fromStdString(listed.finding.code);
        return found;
    };
    QVERIFY2(codes().contains("P003"), qPrintable(codes().join(' ')));
    QCOMPARE(plannedSteps(spec.run, 40, 64), int64_t{0});  // too few for the model's batch
    QCOMPARE(plannedSteps(spec.run, 0, std::nullopt), int64_t{0});
    // Opened again, the sheet takes the phases back for another scope.
    driver.window().work().commands.action("training.fineTune")->trigger();
    QVERIFY(sheet(driver) != nullptr);
    which = sheet(driver)->findChild<QComboBox*>("fineTuneScope");
    which->setCurrentIndex(which->findData(static_cast<int>(FineTuneScope::Everything)));
    QVERIFY(driver.project().spec().artifacts.parameterGroups.empty());
    QCOMPARE(driver.project().spec().run.schedule.key, RunSpec().schedule.key);
    QVERIFY2(!codes().contains("P003"), qPrintable(codes().join(' ')));
}

void FineTuneTest::aBinaryClassifierIsFineTunedInFewClicks() {
    WindowDriver driver;
    QVERIFY(open(driver, kBinary, "two classes"));
    QVERIFY2(driver.message().contains("Model and data are open"), qPrintable(driver.message()));
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(sheet(driver) != nullptr);
    auto* start = sheet(driver)->findChild<QPushButton*>("fineTuneStart");
    QVERIFY2(QTest::qWaitFor([&] { return start->isEnabled(); }, kPatienceMs),
             qPrintable(textsIn(*sheet(driver))));
    const TrainingSpec& spec = driver.project().spec();
    QCOMPARE(spec.artifacts.loss.key, std::string("bce-with-logits"));
    QCOMPARE(spec.artifacts.lossInputs, std::vector<std::string>{"z"});
    const auto loss = sheet(driver)->findChild<QLabel*>("fineTune.loss");
    QCOMPARE(loss->text(), QString("Binary cross entropy with logits"));
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(
        QTest::qWaitFor([&] { return driver.run().state() == RunState::Finished; }, kPatienceMs));
    QCOMPARE(driver.window().pages().current(), QString("train"));
}

/// Two offers for one document: the second appears when the first is taken.
void FineTuneTest::aFixedBatchIsOfferedFirst() {
    WindowDriver driver;
    QVERIFY(open(driver, kOneSample, "two classes"));
    QVERIFY2(driver.message().contains("fixed number of samples"), qPrintable(driver.message()));
    QVERIFY2(!driver.message().contains("Model and data are open"), qPrintable(driver.message()));
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(QTest::qWaitFor([&] { return driver.message().contains("Model and data are open"); },
                            kPatienceMs));
    QVERIFY(isIdle(driver));
    QVERIFY(driver.project().spec().freeBatch);
    QVERIFY2(!driver.message().contains("fixed number of samples"), qPrintable(driver.message()));
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(sheet(driver) != nullptr);
}

void FineTuneTest::cancellingTakesEverythingBack() {
    WindowDriver driver;
    QVERIFY(open(driver, kSoftmax, "three classes"));
    const TrainingSpec before = driver.project().spec();
    const int steps = driver.project().undoStack()->count();
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(driver.project().spec() != before);
    sheet(driver)->reject();
    QCOMPARE(driver.project().spec(), before);
    QCOMPARE(driver.project().undoStack()->count(), steps);
    QVERIFY(isIdle(driver));
}

void FineTuneTest::everythingIsOneStepToUndo() {
    WindowDriver driver;
    QVERIFY(open(driver, kClassifier, "three classes"));
    const TrainingSpec before = driver.project().spec();
    QVERIFY(driver.click("bannerAction"));
    auto* which = sheet(driver)->findChild<QComboBox*>("fineTuneScope");
    which->setCurrentIndex(which->findData(static_cast<int>(FineTuneScope::LastLayer)));
    auto* epochs = sheet(driver)->findChild<NumberEdit*>("fineTuneEpochs");
    type(epochs, "7");
    QVERIFY(sheet(driver)->isVisible());
    QVERIFY(driver.click("fineTuneUse"));
    QCOMPARE(driver.project().spec().run.epochs, int64_t{7});
    QCOMPARE(driver.project().spec().run.learningRate, 1e-3);
    driver.project().undoStack()->undo();
    QCOMPARE(driver.project().spec(), before);
    QVERIFY(isIdle(driver));
}

void FineTuneTest::whatIsInTheWayIsSaid() {
    WindowDriver driver;
    QVERIFY(open(driver, kSteps, "numbers"));
    QVERIFY(driver.click("bannerAction"));
    const auto isSaid = [&] { return textsIn(*sheet(driver)).contains("float32[N, 4, 2]"); };
    QVERIFY2(QTest::qWaitFor(isSaid, kPatienceMs), qPrintable(textsIn(*sheet(driver))));
    QVERIFY(!sheet(driver)->findChild<QPushButton*>("fineTuneStart")->isEnabled());
    sheet(driver)->reject();
    QVERIFY(isIdle(driver));
}

void FineTuneTest::whatWasCancelledIsTriedAgain_data() {
    QTest::addColumn<QString>("again");
    for (const char* again : {"Prepare again", "Read again"}) QTest::newRow(again) << again;
}

void FineTuneTest::whatWasCancelledIsTriedAgain() {
    QFETCH(QString, again);
    const bool reads = again == "Read again";
    WindowDriver driver;
    QVERIFY(open(driver, kTwoLayers, "three classes"));
    QVERIFY(driver.click("bannerAction"));
    QVERIFY(isIdle(driver));
    auto* button = sheet(driver)->findChild<QPushButton*>("fineTuneAgain");
    QVERIFY(button != nullptr && !button->isVisible());
    TaskRunner& tasks = *driver.project().tasks();
    BusyWorkers busy(tasks);
    if (reads) {
        editDataOption(driver.project(), "Share", "split", "0.7");
    } else {
        auto* scope = sheet(driver)->findChild<QComboBox*>("fineTuneScope");
        scope->setCurrentIndex(scope->findData(static_cast<int>(FineTuneScope::BiasesAndNorms)));
    }
    const char* const task = reads ? "Reading data" : "Preparing training";
    QVERIFY(QTest::qWaitFor([&] { return busy.delay(task); }, kPatienceMs));
    QVERIFY(!button->isVisible());
    tasks.interrupt(tasks.shown().id);
    busy.release();
    QVERIFY(isIdle(driver));
    QVERIFY2(textsIn(*sheet(driver)).contains("ancelled"), qPrintable(textsIn(*sheet(driver))));
    auto* start = sheet(driver)->findChild<QPushButton*>("fineTuneStart");
    QVERIFY(button->isVisible() && !start->isEnabled());
    QCOMPARE(button->text(), again);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!button->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return start->isEnabled(); }, kPatienceMs));
    sheet(driver)->reject();
    QVERIFY(isIdle(driver));
}

/// By itself, once everything is ready, and with the button.
void FineTuneTest::theFoundRateIsUsed() {
    WindowDriver driver;
    QVERIFY(open(driver, kClassifier, "three classes"));
    QVERIFY(driver.click("bannerAction"));
    const FineTuneSheet& shown = *sheet(driver);
    auto* field = shown.findChild<NumberEdit*>("fineTuneRate");
    const auto rate = [&] { return driver.project().spec().run.learningRate; };
    const auto why = [&] { return textOf(shown, "fineTuneWhyRate"); };
    QCOMPARE(rate(), 1e-4);
    QVERIFY2(why().contains("usual one"), qPrintable(why()));
    const auto isFound = [&] { return why().startsWith("Found by") && isIdle(driver); };
    QVERIFY2(QTest::qWaitFor(isFound, kPatienceMs), qPrintable(why()));
    QVERIFY2(rate() > 1e-4 && rate() < 1, qPrintable(QString::number(rate())));
    QCOMPARE(field->value(), rate());
    type(field, "0.0123");
    QVERIFY(isIdle(driver));
    QCOMPARE(rate(), 0.0123);
    // The search ends without a rate if it is stopped, and with one if it is not.
    auto* find = shown.findChild<QPushButton*>("fineTuneFind");
    BusyWorkers busy(*driver.project().tasks());
    QTest::mouseClick(find, Qt::LeftButton);
    QVERIFY2(why().startsWith("Trying rates"), qPrintable(why()));
    QCOMPARE(find->text(), QString("Stop the search"));
    QTest::mouseClick(find, Qt::LeftButton);
    QCOMPARE(find->text(), QString("Find a learning rate"));
    QCOMPARE(why(), QString("Chosen here."));
    busy.release();
    QVERIFY(isIdle(driver));
    QCOMPARE(rate(), 0.0123);
    QTest::mouseClick(find, Qt::LeftButton);
    QVERIFY2(QTest::qWaitFor(isFound, kPatienceMs), qPrintable(why()));
    QVERIFY(rate() != 0.0123);
    sheet(driver)->reject();
    QVERIFY(isIdle(driver));
}

void FineTuneTest::aTypedRateStays() {
    WindowDriver driver;
    QVERIFY(open(driver, kClassifier, "three classes"));
    QVERIFY(driver.click("bannerAction"));
    type(sheet(driver)->findChild<NumberEdit*>("fineTuneRate"), "0.0123");
    QVERIFY(isIdle(driver));
    QCOMPARE(driver.project().spec().run.learningRate, 0.0123);
    QCOMPARE(textOf(*sheet(driver), "fineTuneWhyRate"), QString("Chosen here."));
    sheet(driver)->reject();
    QVERIFY(isIdle(driver));
}

/// For the number of steps of the run, also once a rate was found.
void FineTuneTest::timeAndMemoryAreSaid() {
    WindowDriver driver;
    QVERIFY(open(driver, kClassifier, "three classes"));
    QVERIFY(driver.click("bannerAction"));
    const auto isSaid = [&] {
        const int64_t steps = plannedSteps(driver.project().spec().run,
                                           driver.project().data()->training()->size(), {});
        const QString said = textOf(*sheet(driver), "fineTuneCost");
        return said.contains(QString(" for %1 steps, and ").arg(steps)) &&
               said.endsWith(" of memory.");
    };
    QVERIFY2(QTest::qWaitFor(isSaid, kPatienceMs),
             qPrintable(textOf(*sheet(driver), "fineTuneCost")));
    type(sheet(driver)->findChild<NumberEdit*>("fineTuneEpochs"), "3");
    QVERIFY2(QTest::qWaitFor(isSaid, kPatienceMs),
             qPrintable(textOf(*sheet(driver), "fineTuneCost")));
    QCOMPARE(textOf(*sheet(driver), "fineTuneWhyEpochs"), QString("Chosen here."));
    sheet(driver)->reject();
    QVERIFY(isIdle(driver));
}

void FineTuneTest::everyProposalCanBeChanged_data() {
    QTest::addColumn<QString>("page");
    QTest::newRow("Loss") << "objective";
    QTest::newRow("Last layer") << "model";
    QTest::newRow("Validation") << "data";
    QTest::newRow("Normalization") << "data";
    QTest::newRow("Batch norms") << "parameters";
}

/// On its page, with what the sheet has proposed.
void FineTuneTest::everyProposalCanBeChanged() {
    QFETCH(QString, page);
    const QString name = QString("Change: ") + QTest::currentDataTag();
    WindowDriver driver;
    QVERIFY(open(driver, kNorms, "two classes"));
    QVERIFY(driver.goTo("export"));
    driver.window().work().commands.action("training.fineTune")->trigger();
    const QPointer<FineTuneSheet> shown = sheet(driver);
    QVERIFY(shown != nullptr);
    const auto buttons = shown->findChildren<QPushButton*>();
    const auto found = std::ranges::find(buttons, name, &QWidget::accessibleName);
    QVERIFY2(found != buttons.end(), qPrintable(name));
    const TrainingSpec proposed = driver.project().spec();
    QTest::mouseClick(*found, Qt::LeftButton);
    QVERIFY(shown.isNull() || !shown->isVisible());
    QCOMPARE(driver.window().pages().current(), page);
    QCOMPARE(driver.project().spec(), proposed);
    QVERIFY(isIdle(driver));
}

QTEST_MAIN(FineTuneTest)
#include "fine_tune_test.moc"
