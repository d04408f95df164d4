// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/restored_norms.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/provenance/folded_away.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/binding/binding.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/trainer/trainer.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/engine/training/golden_tensor.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {

using Names = std::vector<std::string>;

/// Batch normalizations that the exporter merged into layers, restored. Expected values are
/// PyTorch's, see make_restored_norms_golden.py.
class RestoredNormsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theModelComputesWhatItDid_data();
    void theModelComputesWhatItDid();
    void statisticsAreThoseOfTheData();
    void trainingIsThatOfPyTorch();
    void theTrainerMeasuresBeforeTheFirstStep();
    void ortTrainsTheArtifactsToTheSameLosses();
    void choicesAreNamesOfNormsAndLayers_data();
    void choicesAreNamesOfNormsAndLayers();
    void aNormComesAfterTheBiasOfAProduct();
    void epsilonAndMomentumAreTheModules_data();
    void epsilonAndMomentumAreTheModules();
    void aChoiceThatMeansNoLayerIsRefused_data();
    void aChoiceThatMeansNoLayerIsRefused();
    void anExportOfPyTorchGetsItsNormsBack();
    void theSpecificationKeepsTheChoice();

private:
    std::unique_ptr<Graph> model() const;
    std::unique_ptr<Graph> restored() const {
        auto graph = model();
        restoreNorms(*graph, allOps()->catalog, {"*"});
        return graph;
    }
    std::unique_ptr<TrainingSession> measuredSession() const;
    Arrays arraysOf(const char* key) const {
        Arrays arrays;
        const QJsonObject entries = golden_[key].toObject();
        for (const QString& name : entries.keys())
            arrays[name.toStdString()] = goldenTensor(entries[name].toObject());
        return arrays;
    }

    QJsonObject golden_;
};

static ArtifactSpec meanSquares() {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"sgd", {}};
    return spec;
}

static std::shared_ptr<const Dataset> dataOf(const Arrays& arrays) {
    std::vector<Column> columns;
    std::vector<Tensor> tensors;
    for (const auto& [name, array] : arrays) {
        columns.emplace_back().name = name;
        tensors.push_back(array);
    }
    return std::make_shared<TensorDataset>(columns, tensors);
}

static double distance(const Tensor& a, const Tensor& b) {
    double most = a.shape() == b.shape() ? 0 : INFINITY;
    const auto left = a.values<float>(), right = b.values<float>();
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i)
        most = std::max(most, std::abs(double{left[i]} - double{right[i]}) /
                                  std::max(1.0, std::abs(double{right[i]})));
    return most;
}

void RestoredNormsTest::initTestCase() {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR
                              "/tests/engine/training/edits/restored_norms_golden.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    golden_ = QJsonDocument::fromJson(file.readAll()).object();
}

/// As PyTorch's exporter leaves it: the convolution had no bias, the head had one.
std::unique_ptr<Graph> RestoredNormsTest::model() const {
    const auto norm = [](const std::string& name, const char* numbers) {
        return "_native_batch_norm_legit_no_training.default](args = (%in, %p_" + name +
               "_weight, %p_" + name + "_bias, %b_" + name + "_mean, %b_" + name + "_var, " +
               numbers + ")";
    };
    std::string signature;
    for (const char* name : {"conv.weight", "bn1.weight", "bn1.bias", "head.weight", "head.bias",
                             "bn2.weight", "bn2.bias"}) {
        std::string alias = "p_" + std::string(name);
        std::ranges::replace(alias, '.', '_');
        signature += alias + ": PARAMETER target='" + name + "'\n";
    }
    for (const char* name : {"bn1", "bn2"}) {
        const std::string stem(name);
        signature += "b_" + stem + "_mean: BUFFER target='" + stem + ".running_mean'\n" + "b_" +
                     stem + "_var: BUFFER target='" + stem + ".running_var'\n";
    }
    auto graph = exportedModel(
        R"(
        <ir_version: 8, opset_import: ["" : 18]>
        merged (float[batch, 2, 5, 5] x, float[4, 2, 3, 3] "conv.weight",
                float[4] "conv.weight_bias", float[3, 4] "head.weight", float[3] "head.bias")
            => (float[batch, 3] y) <int64[2] axes = {2, 3}> {
            ["/conv"] a = Conv(x, "conv.weight", "conv.weight_bias")
            ["/relu"] b = Relu(a)
            ["/mean"] c = ReduceMean<keepdims = 0>(b, axes)
            ["/head"] y = Gemm<transB = 1>(c, "head.weight", "head.bias")
        })",
        signature, {}, {}, {{"a", norm("bn1", "0.2, 0.001")}, {"y", norm("bn2", "0.1, 1e-05")}});
    for (auto& [name, tensor] : arraysOf("merged"))
        graph->inputToInitializer(graph->at(name), tensor);
    inferTypes(*graph, allOps()->catalog);
    return graph;
}

std::unique_ptr<TrainingSession> RestoredNormsTest::measuredSession() const {
    Artifacts artifacts = generateArtifacts(*restored(), *allOps(), meanSquares());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    auto session = std::make_unique<TrainingSession>(std::move(artifacts), state, allOps());
    // several batches of different sizes
    measureNormStatistics(*session, *dataOf(arraysOf("tensors")),
                          {{"x", "x"}, {"target", "target"}}, 4, 1);
    session->setLearningRate(static_cast<float>(golden_["rate"].toDouble()));
    return session;
}

void RestoredNormsTest::theModelComputesWhatItDid_data() {
    QTest::addColumn<bool>("isMeasured");
    QTest::newRow("before statistics are measured") << false;
    QTest::newRow("after") << true;
}

void RestoredNormsTest::theModelComputesWhatItDid() {
    QFETCH(bool, isMeasured);
    std::unique_ptr<Graph> graph = restored();
    QCOMPARE(namesOf(graph->outputs()), Names{"y"});
    if (isMeasured) graph = measuredSession()->inferenceModel({"y"});
    const Results found = runGraph(*graph, {{"x", arraysOf("tensors").at("x")}});
    const Tensor expected = goldenTensor(golden_["prediction"].toObject());
    QVERIFY2(distance(found.at("y"), expected) < 2e-6,
             qPrintable(QString::number(distance(found.at("y"), expected))));
}

void RestoredNormsTest::statisticsAreThoseOfTheData() {
    const auto session = measuredSession();
    for (const auto& [name, expected] : arraysOf("norms")) {
        const Tensor& found = session->state().parameter(name).data;
        QVERIFY2(distance(found, expected) < 2e-6, name.c_str());
        QCOMPARE(session->state().parameter(name).requiresGrad,
                 name.find("running") == std::string::npos);
    }
    QVERIFY(!session->state().hasParameter("conv.weight_bias"));
}

void RestoredNormsTest::trainingIsThatOfPyTorch() {
    const auto session = measuredSession();
    const Arrays gradients = arraysOf("gradients");
    for (const auto expected : golden_["losses"].toArray()) {
        const double loss =
            session->trainStep(feedsOf(*session, arraysOf("tensors"), 0))[0].toDouble();
        QVERIFY2(std::abs(loss - expected.toDouble()) <= 1e-5 * expected.toDouble(),
                 qPrintable(QString("%1, golden %2").arg(loss).arg(expected.toDouble())));
        if (expected == golden_["losses"].toArray().first()) {
            for (const auto& [name, gradient] : gradients) {
                // the head's bias has no effect before a norm: its gradient is rounding
                const Tensor& found = session->state().parameter(name).gradient;
                QVERIFY2(distance(found, gradient) < 2e-5, name.c_str());
            }
        }
        session->optimizerStep();
        session->lazyResetGrad();
    }
    for (const auto& [name, mean] : arraysOf("means"))
        QVERIFY2(distance(session->state().parameter(name).data, mean) < 1e-5, name.c_str());
}

void RestoredNormsTest::theTrainerMeasuresBeforeTheFirstStep() {
    Artifacts artifacts = generateArtifacts(*restored(), *allOps(), meanSquares());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    RunSpec run;
    run.steps = 3;
    run.batchSize = 6;
    run.learningRate = golden_["rate"].toDouble();
    std::vector<double> losses;
    RunControl control;
    Trainer trainer(session,
                    {dataOf(arraysOf("tensors")), nullptr, {{"x", "x"}, {"target", "target"}}}, run,
                    control, [&](const RunEvent& event) {
                        if (const auto* step = std::get_if<StepEvent>(&event.fact))
                            losses.push_back(step->loss);
                    });
    QCOMPARE(trainer.run(), RunOutcome::Finished);
    const QJsonArray expected = golden_["losses"].toArray();
    QCOMPARE(static_cast<qsizetype>(losses.size()), expected.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double found = losses[static_cast<size_t>(i)], wanted = expected[i].toDouble();
        QVERIFY2(std::abs(found - wanted) <= 1e-5 * wanted,
                 qPrintable(QString("%1, golden %2").arg(found, 0, 'g', 9).arg(wanted, 0, 'g', 9)));
    }
}

void RestoredNormsTest::ortTrainsTheArtifactsToTheSameLosses() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const Artifacts artifacts =
        withMeasuredNorms(generateArtifacts(*restored(), *allOps(), meanSquares()), allOps(),
                          *dataOf(arraysOf("tensors")), {{"x", "x"}, {"target", "target"}}, 4, 1);
    saveArtifacts(artifacts, folder.path().toStdString(), meanSquares());
    const QString feeds = folder.filePath("feeds.npz");
    writeNpz(feeds.toStdString(), arraysOf("tensors"));
    const auto session = sessionIn(folder.path());
    QCOMPARE(restoredNormsOf(*session->artifacts().evalModel).size(), size_t{2});
    const Tensor& variance = session->state().parameter("bn2.running_var").data;
    QVERIFY(distance(variance, arraysOf("norms").at("bn2.running_var")) < 2e-6);
    const std::vector<double> here = trainHere(*session, arraysOf("tensors"), 3);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", feeds, 3, {"--feeds-mode", "reuse"});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, here);
}

void RestoredNormsTest::choicesAreNamesOfNormsAndLayers_data() {
    QTest::addColumn<Names>("choices");
    QTest::addColumn<bool>("isExported");
    QTest::addColumn<Names>("norms");
    const Names both{"bn1", "bn2"};
    QTest::newRow("all that were merged") << Names{"*"} << true << both;
    QTest::newRow("a name in the module") << Names{"bn2"} << true << Names{"bn2"};
    QTest::newRow("a pattern") << Names{"*1"} << true << Names{"bn1"};
    QTest::newRow("a node") << Names{"/head"} << true << Names{"bn2"};
    QTest::newRow("an output, and a name") << Names{"y", "bn1"} << true << both;
    QTest::newRow("all convolutions, without metadata")
        << Names{"*"} << false << Names{"conv_norm"};
    QTest::newRow("a Gemm by its name") << Names{"/head"} << false << Names{"head_norm"};
}

void RestoredNormsTest::choicesAreNamesOfNormsAndLayers() {
    QFETCH(Names, choices);
    QFETCH(bool, isExported);
    QFETCH(Names, norms);
    const auto graph = model();
    if (!isExported) {
        graph->setMetadata({});
        for (Node* node : graph->nodes()) node->setMetadata({});
    }
    const auto before = runGraph(*graph, {{"x", arraysOf("tensors").at("x")}});
    const std::vector<Finding> findings = restoreNorms(*graph, allOps()->catalog, choices);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings.front().code, std::string("S005"));
    Names found;
    for (const Node* node : restoredNormsOf(*graph)) {
        found.push_back(node->name());
        QCOMPARE(node->input(1)->name(), node->name() + ".weight");
        QCOMPARE(node->input(4)->name(), node->name() + ".running_var");
    }
    QCOMPARE(found, norms);
    const auto after = runGraph(*graph, {{"x", arraysOf("tensors").at("x")}});
    QVERIFY(distance(after.at("y"), before.at("y")) < 2e-6);
    const ArtifactPlan plan = planArtifacts(*graph, *allOps(), meanSquares());
    QVERIFY(!hasErrors(plan.findings));
    for (const std::string& norm : norms) {
        for (const char* part : {".weight", ".bias"})
            QVERIFY2(std::ranges::count(plan.trainable, norm + part) == 1, (norm + part).c_str());
    }
    QVERIFY(!isExported || norms.size() < 2 || findFoldedAway(*graph, allOps()->catalog).empty());
}

void RestoredNormsTest::aNormComesAfterTheBiasOfAProduct() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[N, 2] x) => (float[N, 3] y)
            <float[2, 3] fc.weight = {1, 2, 3, 4, 5, 6}, float[3] fc.bias = {1, 0, -1}> {
            ["/fc"] p = MatMul(x, fc.weight)  y = Add(fc.bias, p) })");
    const Feeds feeds{{"x", Tensor::of<float>({2, 2}, {1, -2, 0.5F, 3})}};
    const Results before = runGraph(*graph, feeds);
    restoreNorms(*graph, allOps()->catalog, {"/fc"});
    const Node* norm = graph->at("y")->producer();
    QCOMPARE(norm->name(), std::string("fc_norm"));
    QCOMPARE(norm->input(0)->producer()->opType(), std::string("Add"));
    QVERIFY(distance(runGraph(*graph, feeds).at("y"), before.at("y")) < 2e-6);
}

void RestoredNormsTest::epsilonAndMomentumAreTheModules_data() {
    QTest::addColumn<QString>("numbers");
    QTest::addColumn<float>("epsilon");
    QTest::addColumn<float>("momentum");
    QTest::newRow("as decomposed") << "0.2, 0.001" << 0.001F << 0.8F;
    QTest::newRow("with truth values") << "False, 0.05, 1e-3, True" << 0.001F << 0.95F;
    QTest::newRow("a mean over all batches") << "None, 1e-3" << 0.001F << 0.9F;
    QTest::newRow("no numbers") << "a, b" << 1e-5F << 0.9F;
    QTest::newRow("numbers of something else") << "nan, inf" << 1e-5F << 0.9F;
    QTest::newRow("too many") << "1, 2, 3" << 1e-5F << 0.9F;
}

void RestoredNormsTest::epsilonAndMomentumAreTheModules() {
    QFETCH(QString, numbers);
    QFETCH(float, epsilon);
    QFETCH(float, momentum);
    const auto graph = exportedModel(
        "<ir_version: 8, opset_import: [\"\" : 18]>"
        "g (float[N, 1, 4] x) => (float[N, 1, 4] y) <float[1, 1, 1] w = {3}> { y = Conv(x, w) }",
        "p_w: PARAMETER target='w'\nb_m: BUFFER target='bn.running_mean'\n", {}, {},
        {{"y", "batch_norm.default](args = (%conv1d, None, None, %b_m, %b_v, " +
                   numbers.toStdString() + ")"}});
    restoreNorms(*graph, allOps()->catalog, {"bn"});
    const Node* norm = graph->at("y")->producer();
    QCOMPARE(norm->attribute<float>("epsilon", 0), epsilon);
    QCOMPARE(norm->attribute<float>("momentum", 0), momentum);
}

void RestoredNormsTest::aChoiceThatMeansNoLayerIsRefused_data() {
    QTest::addColumn<QString>("choice");
    QTest::addColumn<QString>("hint");
    QTest::newRow("no norm") << "bn3"
                             << "The merged ones are: bn1, bn2.";
    QTest::newRow("a node without weights") << "/relu"
                                            << "The merged ones are: bn1, bn2.";
}

void RestoredNormsTest::aChoiceThatMeansNoLayerIsRefused() {
    QFETCH(QString, choice);
    QFETCH(QString, hint);
    try {
        restoreNorms(*model(), allOps()->catalog, {choice.toStdString()});
        QFAIL("it was taken");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::NotFound);
        QCOMPARE(QString::fromStdString(error.hint()), hint);
    }
}

/// conv_bn of the shared exports: two norms in a residual network.
void RestoredNormsTest::anExportOfPyTorchGetsItsNormsBack() {
    const std::filesystem::path folder = conformanceFolder() / "dynamo" / "conv_bn.dynamo";
    const auto merged = loadModel(folder / "model.onnx");
    inferTypes(*merged, allOps()->catalog);
    const std::vector<Finding> lost = findFoldedAway(*merged, allOps()->catalog);
    QCOMPARE(lost.size(), size_t{1});
    QVERIFY(lost.front().hint.find("--restore-norm") != std::string::npos);
    TrainingSpec edits;
    edits.restoreNorms = {"bn*"};
    const auto graph = merged->clone();
    editModel(*graph, *allOps(), edits);
    QVERIFY(findFoldedAway(*graph, allOps()->catalog).empty());

    const Arrays feeds = readNpz(folder / "feeds.npz");
    ArtifactSpec spec;
    spec.optimizer = {"sgd", {}};
    Artifacts artifacts = generateArtifacts(*graph, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    const auto binding = proposeBinding(session, *dataOf(feeds), {}).binding;
    measureNormStatistics(session, *dataOf(feeds), binding, 4, 0);
    QStringList names;
    for (const Parameter& parameter : std::as_const(session.state()).parameters())
        names += QString::fromStdString(parameter.name);
    names.sort();
    QCOMPARE(names.join(' '),
             "bn1.bias bn1.running_mean bn1.running_var bn1.weight bn2.bias bn2.running_mean "
             "bn2.running_var bn2.weight conv1.weight conv2.weight head.bias head.weight");
    const auto original = runGraph(*merged, {{"x", feeds.at("x")}});
    const auto found = runGraph(*session.inferenceModel({"linear"}), {{"x", feeds.at("x")}});
    QVERIFY(distance(found.at("linear"), original.at("linear")) < 2e-6);
    const double first = session.trainStep(feedsOf(session, feeds, 0))[0].toDouble();
    // the statistics are those of this batch: the first loss is that of the merged model
    const double golden = readJson(folder / "meta.json")["sgd64"].toArray()[0].toDouble();
    QVERIFY2(std::abs(first - golden) < 1e-5, qPrintable(QString::number(first, 'g', 9)));
}

void RestoredNormsTest::theSpecificationKeepsTheChoice() {
    TrainingSpec spec;
    spec.model = "m.onnx";
    spec.restoreNorms = {"bn1", "layer*"};
    spec.run.data = "d.npz";
    spec.run.binding = {{"x", "a"}};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    const QString line = QString::fromStdString(commandLineOf(spec, {}));
    QVERIFY2(line.contains("--restore-norm bn1 'layer*' --data d.npz --bind x=a"),
             qPrintable(line));
    QVERIFY(haveOtherEdits(spec, {}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RestoredNormsTest)
#include "restored_norms_test.moc"
