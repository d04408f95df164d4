// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/half_precision.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/export/inference_export.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models with float16 or bfloat16 numbers: they train in float32 and get their types back.
class HalfPrecisionTest : public QObject {
    Q_OBJECT

private slots:
    void modelsInHalfPrecisionTrain_data();
    void modelsInHalfPrecisionTrain();
    void theTypesOfTheFileAreRestored_data();
    void theTypesOfTheFileAreRestored();
    void otherModelsStayAsTheyAre();
    void aFloat32ModelHasNoTypesToRestore();

private:
    static void rows() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("type");
        const QString all = R"((%1[N, 2] x) => (%1[N, 2] y)
            <float[2, 2] w = {1, 2, 3, 4}, float[2] b = {0.5, 1}> { h = Gemm(x, w, b) y = Relu(h) })";
        const QString weights = R"((float[N, 2] x) => (float[N, 2] y)
            <float[2, 2] w = {1, 2, 3, 4}, float[2] b = {0.5, 1}>
            { f = Cast<to = 1>(w) g = Cast<to = 1>(b) y = Gemm(x, f, g) })";
        const QString inside = R"((float[N, 2] x) => (float[N, 2] y)
            <float[2, 2] w = {1, 2, 3, 4}, float[2] b = {0.5, 1}> {
            h = Cast<to = %2>(x) c = Constant<value = bool {1}>() k = MatMul(h, w)
            i = If (c) < then_branch = t () => (%1[N, 2] a) { a = Add(k, b) },
                         else_branch = e () => (%1[N, 2] d) { d = Neg(k) }>
            y = Cast<to = 1>(i) })";
        for (const auto& [type, number] : {std::pair("float16", 10), std::pair("bfloat16", 16)})
            for (const auto& [name, text] : {std::pair("all", all), std::pair("weights", weights),
                                             std::pair("inside", inside)}) {
                const QString header = "<ir_version: 8, opset_import: [\"\" : 17]> m ";
                const QString typed = header + text;
                QString words = typed;
                words.replace("%1", type).replace("%2", QString::number(number));
                QTest::newRow(qPrintable(QString("%1, %2").arg(name, type))) << words << type;
            }
    }
    static std::unique_ptr<Graph> typed(const QString& text) {
        auto graph = parseText(text.toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    /// Texts hold halves as bit patterns: w and b are rounded afterwards.
    static std::unique_ptr<Graph> rounded(const QString& text, const QString& type) {
        const auto graph = parseText(text.toStdString());
        const DType half = type == "float16" ? DType::Float16 : DType::BFloat16;
        for (const char* name : {"w", "b"})
            graph->setConstant(graph->at(name), graph->at(name)->constant().cast(half));
        const std::string bytes = serializeModel(*graph);
        auto read = parseModel(std::as_bytes(std::span<const char>(bytes)), "m.onnx");
        inferTypes(*read, allOps()->catalog);
        return read;
    }
    static std::unique_ptr<Graph> edited(const QString& text, const QString& type) {
        auto graph = rounded(text, type);
        editModel(*graph, *allOps(), {});
        return graph;
    }
    static ArtifactSpec spec() {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        return spec;
    }
    static std::unique_ptr<TrainingSession> sessionOf(const Graph& model) {
        const Artifacts artifacts = generateArtifacts(model, *allOps(), spec());
        return std::make_unique<TrainingSession>(
            artifacts, std::make_shared<CheckpointState>(artifacts.checkpoint), allOps());
    }
};

void HalfPrecisionTest::modelsInHalfPrecisionTrain_data() { rows(); }

/// x w + b with small whole numbers and halves, exact in each type.
void HalfPrecisionTest::modelsInHalfPrecisionTrain() {
    QFETCH(QString, model);
    QFETCH(QString, type);
    const auto widened = edited(model, type);
    for (const Value* value : widened->values()) {
        QVERIFY2(value->type().dtype != DType::Float16 && value->type().dtype != DType::BFloat16,
                 value->name().c_str());
    }
    const Tensor x = Tensor::of<float>({2, 2}, {1, 0, 0.5F, 2});
    const Tensor expected = Tensor::of<float>({2, 2}, {1.5F, 3, 7, 10});
    const std::string problem =
        difference(runGraph(*widened, {{"x", x}}).at("y"), expected, {0, 0});
    QVERIFY2(problem.empty(), problem.c_str());
    const ArtifactPlan plan = planArtifacts(*widened, *allOps(), spec());
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(plan.trainable, (std::vector<std::string>{"w", "b"}));
    const auto told = std::ranges::find(plan.findings, "W007", &Finding::code);
    QVERIFY(told != plan.findings.end());
    QVERIFY2(told->message.find(" as " + type.toStdString() + ")") != std::string::npos,
             told->message.c_str());
    const auto session = sessionOf(*widened);
    session->trainStep(
        feedsOf(*session, {{"x", x}, {"target", Tensor(DType::Float32, {2, 2})}}, 0));
    // d mean((y - 0)^2) / db = sum over samples of 2 y / 4
    const std::string gradient = difference(session->state().parameter("b").gradient,
                                            Tensor::of<float>({2}, {4.25F, 6.5F}), {1e-6, 0});
    QVERIFY2(gradient.empty(), gradient.c_str());
}

void HalfPrecisionTest::theTypesOfTheFileAreRestored_data() { rows(); }

void HalfPrecisionTest::theTypesOfTheFileAreRestored() {
    QFETCH(QString, model);
    QFETCH(QString, type);
    const auto original = rounded(model, type);
    const auto session = sessionOf(*edited(model, type));
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("m.onnx").toStdString();
    InferenceExport request{path, {"y"}};
    exportInferenceModel(*session, request, *allOps());
    QVERIFY(!hasHalfPrecision(*loadModel(path)) && loadModel(path)->info().metadata.empty());
    request.asItCame = true;
    exportInferenceModel(*session, request, *allOps());
    const auto back = loadModel(path);
    QVERIFY(back->info().metadata.empty());
    QVERIFY(!hasErrors(inferTypes(*back, allOps()->catalog)));
    for (const char* name : {"x", "w", "b", "y"})
        QVERIFY2(back->at(name)->type().dtype == original->at(name)->type().dtype, name);
    const Tensor x = Tensor::of<float>({2, 2}, {1, 0, 0.5F, 2});
    const Feeds feeds{{"x", x.cast(original->at("x")->type().dtype)}};
    const std::string problem =
        difference(runGraph(*back, feeds).at("y").cast(DType::Float32),
                   runGraph(*original, feeds).at("y").cast(DType::Float32), {0, 0});
    QVERIFY2(problem.empty(), problem.c_str());
}

void HalfPrecisionTest::otherModelsStayAsTheyAre() {
    const auto model = typed(
        "<ir_version: 8, opset_import: [\"\" : 17]> m (float[2] x) => (y)"
        "<float[2] w = {1, 2}> { a = Cast<to = 11>(x) b = Cast<to = 1>(a)"
        " y = Mul(b, w) }");
    const std::string before = serializeModel(*model);
    widenHalfPrecision(*model, allOps()->catalog);
    QVERIFY(serializeModel(*model) == before);
    QVERIFY(!remarkOnHalfPrecision(*model));
}

void HalfPrecisionTest::aFloat32ModelHasNoTypesToRestore() {
    const auto model = typed(
        "<ir_version: 8, opset_import: [\"\" : 17]> m (float[2] x) => (y)"
        "{ y = Neg(x) }");
    QVERIFY_THROWS_EXCEPTION(Error, restoreHalfPrecision(*model, allOps()->catalog));
    model->info().metadata["temper.half_precision"] = "[3, {";
    QVERIFY_THROWS_EXCEPTION(Error, restoreHalfPrecision(*model, allOps()->catalog));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::HalfPrecisionTest)
#include "half_precision_test.moc"
