// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/language_model.h"

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/analysis/prediction_set.h"
#include "engine/training/analysis/report_csv.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/binding/binding.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/evaluation/evaluation.h"
#include "engine/training/trainer/trainer.h"
#include "tests/engine/training/golden_tensor.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {
namespace {

QByteArray contentsOf(const char* name) {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/tests/engine/training/loss/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// language_model_golden.json: see make_token_golden.py.
const QJsonObject& golden() {
    static const QJsonObject kGolden =
        QJsonDocument::fromJson(contentsOf("language_model_golden.json")).object();
    return kGolden;
}

Tensor tensorOf(const QJsonValue& entry) {
    const Tensor tensor = goldenTensor(entry.toObject());
    return entry["type"].toString() == "int64" ? tensor.cast(DType::Int64) : tensor;
}

Arrays arraysOf(const QJsonObject& entries) {
    Arrays arrays;
    for (const QString& key : entries.keys()) arrays[key.toStdString()] = tensorOf(entries[key]);
    return arrays;
}

/// A decoder with one layer as Transformers exports it: caches and hidden states beside the logits.
std::unique_ptr<Graph> languageModel() {
    std::unique_ptr<Graph> model = parseText(contentsOf("language_model.txt").toStdString());
    for (const auto& [name, next] : {std::pair{"past_key", "past_key_values.0.key"},
                                     {"past_value", "past_key_values.0.value"},
                                     {"present_key", "present.0.key"},
                                     {"present_value", "present.0.value"}})
        model->renameValue(model->at(name), next);
    for (auto& [name, weight] : arraysOf(golden()["weights"].toObject())) {
        Value* value = model->addInitializer(name + "_data", weight);
        model->replaceUses(model->at(name), value);
        model->removeInput(model->at(name));
        model->renameValue(value, name);
    }
    inferTypes(*model, allOps()->catalog);
    return model;
}

std::unique_ptr<TrainingSession> sessionOf(const Graph& model, const ArtifactSpec& spec) {
    Artifacts artifacts = generateArtifacts(model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    return std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
}

ArtifactSpec nextToken(std::map<std::string, double> options = {}) {
    ArtifactSpec spec;
    spec.loss = {"next-token", std::move(options)};
    return spec;
}

std::shared_ptr<const Dataset> dataOf(const Arrays& arrays) {
    std::vector<Column> columns;
    std::vector<Tensor> tensors;
    for (const auto& [name, array] : arrays) {
        columns.emplace_back().name = name;
        tensors.push_back(array);
    }
    return std::make_shared<TensorDataset>(columns, tensors);
}

QStringList textsOf(const std::vector<Finding>& findings) {
    QStringList texts;
    for (const Finding& finding : findings)
        texts += QString::fromStdString(finding.code + " " + finding.message);
    return texts;
}

/// The error with this code, or all findings.
QString errorOf(const std::vector<Finding>& findings, const QString& code) {
    for (const Finding& finding : findings) {
        const bool isMeant = QString::fromStdString(finding.code) == code;
        if (isMeant && finding.severity == Severity::Error && !finding.hint.empty())
            return QString::fromStdString(finding.message);
    }
    return "no " + code + ": " + textsOf(findings).join("; ");
}

QJsonObject batchCalled(const QString& name) {
    for (const QJsonValue batch : golden()["batches"].toArray())
        if (batch["name"].toString() == name) return batch.toObject();
    return {};
}

Tensor tokens(Shape shape, std::initializer_list<int64_t> values) {
    return Tensor::of<int64_t>(std::move(shape), values);
}

}  // namespace

/// Language models as they come, trained on the next token by one choice.
class LanguageModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(!golden().isEmpty()); }
    void lossesAreTransformers_data();
    void lossesAreTransformers();
    void singlePredictionsAddUpToTheLoss_data() { addBatches(); }
    void singlePredictionsAddUpToTheLoss();
    void artifactsTrainTheSameThere_data();
    void artifactsTrainTheSameThere();
    void exportsOfPyTorchLearnTheNextToken_data();
    void exportsOfPyTorchLearnTheNextToken();
    void classesMayComeLast_data() { exportsOfPyTorchLearnTheNextToken_data(); }
    void classesMayComeLast();
    void theExportedModelHasItsInputs();
    void whatIsDoneIsReported();
    void modelsThatDoNotSuitAreRefused_data();
    void modelsThatDoNotSuitAreRefused();
    void dataThatDoNotSuitAreRefused_data();
    void dataThatDoNotSuitAreRefused();
    void narrowTokensAreLabelsToo();
    void theLossIsRecognised_data();
    void theLossIsRecognised();
    void aRunNeedsOnlyTheTokens();

private:
    static void addBatches();
};

void LanguageModelTest::addBatches() {
    QTest::addColumn<QString>("name");
    for (const QJsonValue batch : golden()["batches"].toArray())
        QTest::newRow(qPrintable(batch["name"].toString())) << batch["name"].toString();
}

void LanguageModelTest::lossesAreTransformers_data() { addBatches(); }

/// With data that lack any of the inputs: the loss, and the labels in the eval model.
void LanguageModelTest::lossesAreTransformers() {
    QFETCH(QString, name);
    const QJsonObject batch = batchCalled(name);
    ArtifactSpec spec = nextToken({{"pad_id", batch["pad_id"].toDouble()}});
    const Arrays columns = arraysOf(batch["columns"].toObject());
    if (columns.contains("labels")) spec.lossInputs = {"logits", "labels"};
    const auto session = sessionOf(*languageModel(), spec);
    const auto data = dataOf(columns);
    const BindingProposal proposal = proposeBinding(*session, *data, {});
    QVERIFY2(!hasErrors(proposal.findings), qPrintable(textsOf(proposal.findings).join("\n")));
    const Evaluation found = evaluateDataset(*session, *data, proposal.binding, data->size(), {});
    const double want = batch["loss"].toDouble();
    QVERIFY2(std::abs(found.loss - want) <= 1e-6 * want,
             qPrintable(QString("%1, golden %2").arg(found.loss, 0, 'g', 9).arg(want, 0, 'g', 9)));
    QVERIFY(found.metrics.contains("accuracy"));
}

/// Token by token, with the labels that the model computes; the memory determines the batches.
void LanguageModelTest::singlePredictionsAddUpToTheLoss() {
    QFETCH(QString, name);
    const QJsonObject batch = batchCalled(name);
    const Arrays columns = arraysOf(batch["columns"].toObject());
    const std::string source = columns.contains("labels") ? "labels" : "input_ids";
    ArtifactSpec spec = nextToken({{"pad_id", batch["pad_id"].toDouble()}});
    spec.lossInputs = {"logits", source};
    const auto session = sessionOf(*languageModel(), spec);
    const auto data = dataOf(columns);
    const auto binding = proposeBinding(*session, *data, {}).binding;
    Predictor predictor(*session->artifacts().evalModel, session->state(), allOps());
    const PredictionSet set = predictDataset(predictor, *data, binding, {.maxBatchNumbers = 1});
    QVERIFY(set.entries() > data->size());
    QCOMPARE(set.places.size(), set.samples.size());
    double sum = 0, right = 0;
    const auto tokens = columns.at(source).values<int64_t>();
    const int64_t length = columns.at(source).shape()[1];
    for (int64_t entry = 0; entry < set.entries(); ++entry) {
        const auto at = static_cast<size_t>(entry);
        sum += set.losses[at];
        right += set.predictedClass(entry) == set.labels[at] ? 1 : 0;
        QCOMPARE(set.labels[at],
                 tokens[static_cast<size_t>(set.samples[at] * length + set.places[at] + 1)]);
    }
    const double want = batch["loss"].toDouble(), found = sum / static_cast<double>(set.entries());
    QVERIFY2(std::abs(found - want) <= 1e-6 * want, qPrintable(QString::number(found, 'g', 9)));
    const QTemporaryDir folder;
    exportPredictions(folder.filePath("p.csv").toStdString(), set);
    QFile table(folder.filePath("p.csv"));
    QVERIFY(table.open(QIODevice::ReadOnly));
    QVERIFY(table.readLine().startsWith("sample,position,right,predicted,correct,loss,"));
    QCOMPARE(table.readLine().split(',')[1].toLongLong(), set.places.front());
    const Evaluation whole = evaluateDataset(*session, *data, binding, data->size(), {});
    QCOMPARE(right / static_cast<double>(set.entries()), whole.metrics.at("accuracy"));
}

void LanguageModelTest::artifactsTrainTheSameThere_data() { addBatches(); }

void LanguageModelTest::artifactsTrainTheSameThere() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    QFETCH(QString, name);
    const QJsonObject batch = batchCalled(name);
    ArtifactSpec spec = nextToken({{"pad_id", batch["pad_id"].toDouble()}});
    const Arrays columns = arraysOf(batch["columns"].toObject());
    if (columns.contains("labels")) spec.lossInputs = {"logits", "labels"};
    const QTemporaryDir folder;
    saveArtifacts(generateArtifacts(*languageModel(), *allOps(), spec), folder.path().toStdString(),
                  spec);
    const auto session = sessionIn(folder.path());
    const auto data = dataOf(columns);
    const auto binding = proposeBinding(*session, *data, {}).binding;
    std::vector<int64_t> samples(static_cast<size_t>(data->size()));
    for (size_t i = 0; i < samples.size(); ++i) samples[i] = int64_t(i);
    const std::vector<Tensor> inputs =
        readFields(*data, batchFields(*session, *data, binding, true), samples);
    Arrays feeds;
    for (size_t i = 0; i < inputs.size(); ++i) feeds[session->inputName(i)] = inputs[i];
    const QString file = folder.filePath("feeds.npz");
    writeNpz(file.toStdString(), feeds);
    const std::vector<double> here = trainHere(*session, feeds, 4);
    QVERIFY(here.back() < here.front());
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", file, 4, {"--feeds-mode", "reuse"});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, here);
}

void LanguageModelTest::exportsOfPyTorchLearnTheNextToken_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"tied_language_model.dynamo", "rope_decoder_tied.op25"})
        QTest::newRow(name) << QString(name);
}

/// An export whose output has the classes second: the loss reads the value before the
/// transposition.
struct TextExport {
    explicit TextExport(const QString& name)
        : folder(conformanceFolder() / "dynamo" / name.toStdString()),
          model(loadModel(folder / "model.onnx")),
          feeds(readNpz(folder / "feeds.npz")) {
        inferTypes(*model, allOps()->catalog);
        editModel(*model, *allOps(), {});
        logits = model->outputs().front()->producer()->input(0)->name();
    }

    std::filesystem::path folder;
    std::unique_ptr<Graph> model;
    Arrays feeds;
    std::string logits;
};

/// The same as labels that are shifted by hand, with -100 if there is none.
void LanguageModelTest::exportsOfPyTorchLearnTheNextToken() {
    QFETCH(QString, name);
    const TextExport exported(name);
    ArtifactSpec spec = nextToken();
    spec.lossInputs = {exported.logits};
    const ArtifactPlan plan = planArtifacts(*exported.model, *allOps(), spec);
    const auto error = std::ranges::find(plan.findings, Severity::Error, &Finding::severity);
    if (error != plan.findings.end()) QSKIP(error->message.c_str());
    const auto session = sessionOf(*exported.model, spec);
    QCOMPARE(session->inputNames(), std::vector<std::string>{"ids"});
    ArtifactSpec byHand;
    byHand.loss = {"cross-entropy", {{"axis", -1}}};
    byHand.lossInputs = {exported.logits};
    const auto other = sessionOf(*exported.model, byHand);
    const Tensor& ids = exported.feeds.at("ids");
    const int64_t length = ids.shape()[1];
    Tensor labels = ids.clone();
    for (int64_t i = 0; i < labels.numElements(); ++i) {
        const bool isLast = (i + 1) % length == 0;
        labels.mutableValues<int64_t>()[size_t(i)] =
            isLast ? -100 : ids.values<int64_t>()[size_t(i + 1)];
    }
    const Arrays feeds = {{"ids", ids}, {"labels", labels}};
    for (int step = 0; step < 3; ++step) {
        const double loss = session->trainStep(feedsOf(*session, feeds, 0))[0].toDouble();
        const double want = other->trainStep(feedsOf(*other, feeds, 0))[0].toDouble();
        QVERIFY2(std::abs(loss - want) <= 1e-5 * want,
                 qPrintable(QString("step %1: %2, by hand %3").arg(step).arg(loss).arg(want)));
        for (const auto& one : {session.get(), other.get()}) {
            one->optimizerStep();
            one->lazyResetGrad();
        }
    }
}

/// Logits [N, T, classes] and labels [N, T]: PyTorch's losses for these labels.
void LanguageModelTest::classesMayComeLast() {
    QFETCH(QString, name);
    const TextExport exported(name);
    ArtifactSpec spec;
    spec.loss = {"cross-entropy", {{"axis", -1}}};
    spec.lossInputs = {exported.logits};
    spec.optimizer = {"sgd", {}};
    const ArtifactPlan plan = planArtifacts(*exported.model, *allOps(), spec);
    const auto error = std::ranges::find(plan.findings, Severity::Error, &Finding::severity);
    if (error != plan.findings.end()) QSKIP(error->message.c_str());
    const auto session = sessionOf(*exported.model, spec);
    session->setLearningRate(0.01F);
    const QJsonArray losses = readJson(exported.folder / "meta.json")["sgd64"].toArray();
    QCOMPARE(losses.size(), 3);
    for (const QJsonValue want : losses) {
        const double loss = session->trainStep(feedsOf(*session, exported.feeds, 0))[0].toDouble();
        QVERIFY2(std::abs(loss - want.toDouble()) <= 2e-5 * want.toDouble(),
                 qPrintable(QString("%1, PyTorch %2").arg(loss).arg(want.toDouble())));
        session->optimizerStep();
        session->lazyResetGrad();
    }
}

void LanguageModelTest::theExportedModelHasItsInputs() {
    const std::unique_ptr<Graph> model = languageModel();
    const auto session = sessionOf(*model, nextToken());
    const LossInfo loss = describeLoss(*session->artifacts().evalModel);
    QCOMPARE(loss.predictions, std::vector<std::string>{"logits"});
    const auto names = [](const Graph& graph) {
        std::vector<std::string> all = namesOf(graph.inputs());
        std::ranges::sort(all);
        return all;
    };
    QCOMPARE(names(*session->inferenceModel(loss.predictions)), names(*model));
    QCOMPARE(names(*session->inferenceModel({"logits", "present.0.key", "present.0.value"})),
             names(*model));
}

void LanguageModelTest::whatIsDoneIsReported() {
    const std::unique_ptr<Graph> model = languageModel();
    const QStringList plan = textsOf(planArtifacts(*model, *allOps(), nextToken()).findings);
    QCOMPARE(plan, (QStringList{"A021 The loss reads 'logits'; the model's other 3 outputs "
                                "(present.0.key, present.0.value, hidden_states) are ignored.",
                                "A022 The labels are the next tokens of 'input_ids'; where "
                                "'attention_mask' is 0, there are none."}));
    const auto session = sessionOf(*model, nextToken());
    const auto data = dataOf({{"tokens", tokens({1, 3}, {1, 2, 3})}});
    const BindingProposal proposal = proposeBinding(*session, *data, {});
    QCOMPARE(proposal.binding, (std::map<std::string, std::string>{{"input_ids", "tokens"}}));
    QCOMPARE(
        textsOf(proposal.findings),
        (QStringList{
            "D120 Inputs 'past_key_values.0.key', 'past_key_values.0.value' have no data column "
            "and are fed with an empty cache.",
            "D120 Input 'attention_mask' has no data column and is fed with ones.",
            "D120 Input 'position_ids' has no data column and is fed with the numbers 0 to 2."}));
}

void LanguageModelTest::modelsThatDoNotSuitAreRefused_data() {
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    const QString logits = "float[N, T, 4] y";
    QTest::newRow("tokens that are numbers")
        << "float[N, T] input_ids" << logits << "next_token(y, input_ids)"
        << "A008"
        << "'input_ids' is float32[N, T]";
    QTest::newRow("no tokens") << "float[N, T] input_ids" << logits << "next-token"
                               << "A020"
                               << "'input_ids' float32[N, T]";
    QTest::newRow("two that may be")
        << "int64[N, T] source, int64[N, T] target" << logits << "next-token"
        << "A020"
        << "'source' int64[N, T], 'target' int64[N, T]";
    QTest::newRow("two that may be, in a formula")
        << "int64[N, T] source, int64[N, T] target" << logits << "2*next_token(y)"
        << "A008"
        << "unclear";
    QTest::newRow("one token") << "int64[N, 1] input_ids"
                               << "float[N, 1, 4] y"
                               << "next-token"
                               << "A020"
                               << "a sequence of one token";
    QTest::newRow("one row") << "int64[N, T] input_ids"
                             << "float[N, 4] y"
                             << "next-token"
                             << "A008"
                             << "reads logits [N, T, classes]; 'y' is float32[N, 4]";
    QTest::newRow("tokens of rank 3")
        << "int64[N, T, 2] input_ids" << logits << "next_token(y, input_ids)"
        << "A008"
        << "'input_ids' is int64[N, T, 2]";
}

void LanguageModelTest::modelsThatDoNotSuitAreRefused() {
    QFETCH(QString, inputs);
    QFETCH(QString, output);
    QFETCH(QString, loss);
    QFETCH(QString, code);
    QFETCH(QString, message);
    const std::string logits = output.section(' ', 0, -2).toStdString();
    const auto model = parseText((QString(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (%1, %2 x) => (%3) <float[1] w = {1.0}> { y = Mul(x, w) })")
                                      .arg(inputs, QString::fromStdString(logits), output))
                                     .toStdString());
    inferTypes(*model, allOps()->catalog);
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    const QString found = errorOf(planArtifacts(*model, *allOps(), spec).findings, code);
    QVERIFY2(found.contains(message), qPrintable(found));
}

void LanguageModelTest::dataThatDoNotSuitAreRefused_data() {
    QTest::addColumn<double>("pad");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    QTest::newRow("a token that is none") << -1.0 << 0 << "D003"
                                          << "the token 11 in sample 1";
    QTest::newRow("a negative token") << -1.0 << 1 << "D003"
                                      << "the token -1 in sample 0";
    QTest::newRow("a padding token") << 11.0 << 0 << ""
                                     << "";
    QTest::newRow("one token") << -1.0 << 2 << "D121"
                               << "sequences of one token";
    QTest::newRow("fractions") << -1.0 << 3 << "D002"
                               << "does not match input 'input_ids'";
}

void LanguageModelTest::dataThatDoNotSuitAreRefused() {
    QFETCH(double, pad);
    QFETCH(int, kind);
    QFETCH(QString, code);
    QFETCH(QString, message);
    const std::vector<Tensor> cases = {tokens({2, 3}, {1, 2, 3, 4, 5, 11}),
                                       tokens({2, 3}, {1, -1, 3, 4, 5, 6}), tokens({2, 1}, {1, 2}),
                                       Tensor(DType::Float32, {2, 3})};
    const auto session = sessionOf(*languageModel(), nextToken({{"pad_id", pad}}));
    const auto data = dataOf({{"input_ids", cases[size_t(kind)]}});
    const auto findings = proposeBinding(*session, *data, {}).findings;
    if (code.isEmpty()) {
        QVERIFY2(!hasErrors(findings), qPrintable(textsOf(findings).join("\n")));
    } else {
        const QString found = errorOf(findings, code);
        QVERIFY2(found.contains(message), qPrintable(found));
    }
}

/// int32 tokens and a boolean mask.
void LanguageModelTest::narrowTokensAreLabelsToo() {
    const auto lossOf = [](const QString& tokenType, const QString& maskType) {
        const auto model = parseText((QString(R"(<ir_version: 8, opset_import: ["" : 17]>
            m (%1[N, T] ids, %2[N, T] attention_mask) => (float[N, T, 4] y)
            <float[4, 4] w = {0.5, 1, -1, 2, 0.25, -2, 1, 0, 1, 1, 0.5, -0.5, 2, -1, 0, 1}> {
                rows = Gather(w, ids)
                mask = Cast <to = 1> (attention_mask)
                last = Constant <value_ints = [-1]> ()
                column = Unsqueeze(mask, last)
                y = Mul(rows, column)
            })")
                                          .arg(tokenType, maskType))
                                         .toStdString());
        inferTypes(*model, allOps()->catalog);
        const auto session = sessionOf(*model, nextToken());
        const Arrays feeds = {{"ids", tokens({2, 3}, {0, 3, 1, 2, 2, 1})},
                              {"attention_mask", tokens({2, 3}, {1, 1, 0, 1, 1, 1})}};
        return session->trainStep(feedsOf(*session, feeds, 0))[0].toDouble();
    };
    const double wide = lossOf("int64", "int64");
    QVERIFY(std::isfinite(wide));
    QCOMPARE(lossOf("int32", "bool"), wide);
    QCOMPARE(lossOf("int64", "float"), wide);
}

void LanguageModelTest::theLossIsRecognised_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<double>("smoothing");
    QTest::newRow("plain") << "next-token" << 0.0;
    QTest::newRow("smoothed") << "next-token" << 0.1;
    QTest::newRow("in a formula") << "0.5*next_token(logits) + 0.001*l2(head_weight)" << 0.0;
}

void LanguageModelTest::theLossIsRecognised() {
    QFETCH(QString, loss);
    QFETCH(double, smoothing);
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    if (smoothing > 0) spec.loss.values["label_smoothing"] = smoothing;
    const auto session = sessionOf(*languageModel(), spec);
    const LossInfo info = describeLoss(*session->artifacts().evalModel);
    QCOMPARE(info.kind, std::string("cross-entropy"));
    QCOMPARE(info.tokens, std::string("input_ids"));
    QCOMPARE(info.predictions, std::vector<std::string>{"logits"});
    QVERIFY(info.targets.empty() && info.target.empty());
    QVERIFY(!info.labels.empty());
}

/// Epochs over tokens, evaluated on them; the loss falls.
void LanguageModelTest::aRunNeedsOnlyTheTokens() {
    const auto session = sessionOf(*languageModel(), nextToken());
    const auto data =
        dataOf({{"input_ids", tokens({4, 4}, {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7})}});
    RunSpec run;
    run.epochs = 60;
    run.batchSize = 3;
    run.learningRate = 0.05;
    TrainerData trained{data, data, proposeBinding(*session, *data, {}).binding};
    const double before = evaluateDataset(*session, *data, trained.binding, 4, {}).loss;
    RunControl control;
    Trainer trainer(*session, trained, run, control, [](const RunEvent&) {});
    QCOMPARE(trainer.run(), RunOutcome::Finished);
    const Evaluation after = evaluateDataset(*session, *data, trained.binding, 4, {});
    QVERIFY2(after.loss < 0.2 * before, qPrintable(QString::number(after.loss)));
    QCOMPARE(after.metrics.at("accuracy"), 1.0);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::LanguageModelTest)
#include "language_model_test.moc"
