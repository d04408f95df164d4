// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

using namespace temper;

namespace {

const std::string kPass = "keep-scores";

Tensor randomNumbers(const Shape& shape, uint64_t seed) {
    Tensor tensor(DType::Float32, shape);
    Random random(seed);
    for (float& value : tensor.mutableValues<float>()) value = 8 * random.uniform() - 4;
    return tensor;
}

QStringList operatorsOf(const ExecutionPlan& plan) {
    QStringList names;
    for (const auto& step : plan.steps()) names << QString::fromStdString(step.op);
    names.sort();
    return names;
}

}  // namespace

/// The pass keep-scores.
class KeepScoresTest : public QObject {
    Q_OBJECT

private slots:
    void theBitsStay_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<Shape>("shape");
        for (const char* attributes :
             {"reduction = \"mean\"", "reduction = \"sum\"", "reduction = \"none\"",
              "reduction = \"mean\", ignore_index = 1"}) {
            for (const char* dtype : {"float", "double"}) {
                for (const Shape& shape : std::vector<Shape>{
                         {1, 1}, {6, 10}, {3, 1000}, {2, 5, 1}, {2, 7, 150}, {1, 300, 3, 4}}) {
                    QTest::addRow("%s, %s %s", attributes, dtype, formatShape(shape).c_str())
                        << QString(attributes) << QString(dtype) << shape;
                }
            }
        }
    }
    void theBitsStay() {
        QFETCH(QString, attributes);
        QFETCH(QString, dtype);
        QFETCH(Shape, shape);
        Shape labelShape = shape;
        labelShape.erase(labelShape.begin() + 1);
        const std::string type = dtype.toStdString(), rest = shape.size() > 2 ? ", D" : "",
                          last = shape.size() > 3 ? ", E" : "";
        const bool isPerLabel = attributes.contains("none");
        const std::string call = "<" + attributes.toStdString() + ">";
        const std::shared_ptr<const Graph> graph = parse(
            "(" + type + "[N, C" + rest + last + "] x, int64[N" + rest + last + "] t, " + type +
            "[C] w, " + type + (isPerLabel ? "[N" + rest + last + "]" : "") +
            " dy) => (y, dx) { y, p = SoftmaxCrossEntropyLoss" + call +
            "(x, t, w)  dx = com.microsoft.SoftmaxCrossEntropyLossGrad" + call + "(dy, p, t, w) }");
        Tensor labels(DType::Int64, labelShape);
        int64_t label = 0;
        for (int64_t& value : labels.mutableValues<int64_t>()) value = (label += 3) % shape[1];
        std::vector<Tensor> feeds = {randomNumbers(shape, 1), labels, randomNumbers({shape[1]}, 2),
                                     randomNumbers(isPerLabel ? labelShape : Shape{}, 3)};
        for (Tensor& feed : feeds) {
            if (dtype == "double" && feed.dtype() == DType::Float32)
                feed = feed.cast(DType::Float64);
        }
        ThreadPool pool(2);
        const auto resultsWithout = [&](const std::vector<std::string>& passes) {
            GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(),
                               pool, {.withoutPasses = passes});
            std::vector<Tensor> results;
            for (const Tensor& result : runner.run(feeds)) results.push_back(result.clone());
            return results;
        };
        const auto kept = resultsWithout({}), written = resultsWithout({kPass});
        for (size_t i = 0; i < kept.size(); ++i) {
            QCOMPARE(kept[i].shape(), written[i].shape());
            QVERIFY(
                std::equal(kept[i].data(), kept[i].data() + kept[i].byteSize(), written[i].data()));
        }
    }

    void whatReadsTheLogProbabilitiesDecides_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QStringList>("operators");
        const std::string in = "(float[N, C] x, int64[N] t, float dy) => ",
                          internal = "com.microsoft.SoftmaxCrossEntropyLossInternal";
        const auto row = [](const char* name, const std::string& nodes,
                            const QStringList& operators) {
            QTest::newRow(name) << QString::fromStdString(nodes) << operators;
        };
        const std::string gradient = "dx = com.microsoft.SoftmaxCrossEntropyLossGrad(dy, p, t)";
        const QStringList keeping{"temper.CrossEntropy", "temper.CrossEntropyGrad"},
            writing{"SoftmaxCrossEntropyLoss", "com.microsoft.SoftmaxCrossEntropyLossGrad"};
        row("the gradient",
            in + "(y, dx) { y, p = SoftmaxCrossEntropyLoss(x, t)  " + gradient + " }", keeping);
        row("the gradient of the internal form",
            in + "(y, dx) { y, p = " + internal + "<reduction = \"mean\">(x, t)  dx = " + internal +
                "Grad<reduction = \"mean\">(dy, p, t) }",
            keeping);
        row("the model's user",
            in + "(y, dx, p) { y, p = SoftmaxCrossEntropyLoss(x, t)  " + gradient + " }", writing);
        row("another operator",
            in + "(y, dx, z) { y, p = SoftmaxCrossEntropyLoss(x, t)  z = Exp(p)  " + gradient +
                " }",
            writing + QStringList{"Exp"});
        row("nothing", in + "(y) { y, p = SoftmaxCrossEntropyLoss(x, t) }",
            {"SoftmaxCrossEntropyLoss"});
        row("a gradient in half precision",
            "(float16[N, C] x, int64[N] t, float16 dy) => (y, dx) "
            "{ y, p = SoftmaxCrossEntropyLoss(x, t)  " +
                gradient + " }",
            writing);
    }
    void whatReadsTheLogProbabilitiesDecides() {
        QFETCH(QString, nodes);
        QFETCH(QStringList, operators);
        const auto graph = parse(nodes.toStdString());
        InputTypes types;
        const auto add = [&](const char* name, DType dtype, const Shape& shape) {
            if (graph->find(name) != nullptr) types[name] = {{dtype, shape}};
        };
        const DType dtype = nodes.contains("float16") ? DType::Float16 : DType::Float32;
        add("x", dtype, {5, 3});
        add("t", DType::Int64, {5});
        add("dy", dtype, {});
        const auto plan = ExecutionPlan::compile(*graph, types, ops_.catalog, ops_.cpuKernels, {});
        operators.sort();
        QCOMPARE(operatorsOf(*plan), operators);
    }

private:
    std::unique_ptr<Graph> parse(const std::string& nodes) const {
        return parseText("<ir_version: 8, opset_import: [\"\": 13, \"com.microsoft\": 1]> g " +
                         nodes);
    }

    OpSet ops_ = standardOps();
};

QTEST_GUILESS_MAIN(KeepScoresTest)
#include "keep_scores_test.moc"
