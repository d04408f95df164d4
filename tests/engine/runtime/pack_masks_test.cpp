// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

using namespace temper;

namespace {

const std::string kPass = "pack-masks";

/// A Dropout and its gradient, of numbers of one type.
std::string nodesOf(const std::string& type, const std::string& outputs = "y, dx",
                    const std::string& more = {}) {
    return "(" + type + "[N] x, " + type + "[N] dy, float r, bool t) => (" + outputs +
           ") { y, m = Dropout(x, r, t)  dx = com.microsoft.DropoutGrad(dy, m, r, t) " + more +
           " }";
}

}  // namespace

/// The pass pack-masks.
class PackMasksTest : public QObject {
    Q_OBJECT

private slots:
    void theBitsStay_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<float>("ratio");
        QTest::addColumn<bool>("trains");
        for (const char* type : {"float", "double"}) {
            for (const qint64 size : {0, 1, 7, 8, 9, 511, 513, 40001}) {
                QTest::addRow("%s, %lld", type, size) << QString(type) << size << 0.4F << true;
                QTest::addRow("%s, %lld, inference", type, size)
                    << QString(type) << size << 0.4F << false;
            }
            QTest::addRow("%s, nothing to drop", type)
                << QString(type) << qint64{100} << 0.0F << true;
        }
    }
    void theBitsStay() {
        QFETCH(QString, type);
        QFETCH(qint64, size);
        QFETCH(float, ratio);
        QFETCH(bool, trains);
        const std::shared_ptr<const Graph> graph = parse(nodesOf(type.toStdString()));
        std::vector<Tensor> feeds;
        for (const uint64_t seed : {1, 2}) {
            Tensor numbers(DType::Float32, {size});
            Random random(seed);
            for (float& value : numbers.mutableValues<float>()) value = random.uniform() + 1;
            feeds.push_back(type == "double" ? numbers.cast(DType::Float64) : numbers);
        }
        feeds.push_back(Tensor::scalar(ratio));
        feeds.push_back(Tensor::scalar(trains));
        std::vector<std::vector<Tensor>> results;
        for (const auto& [without, threads] :
             {std::pair(std::vector<std::string>(), 1), std::pair(std::vector<std::string>(), 3),
              std::pair(std::vector<std::string>{kPass}, 1)}) {
            ThreadPool pool(threads);
            GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(),
                               pool, {.withoutPasses = without});
            results.emplace_back();
            for (const Tensor& output : runner.run(feeds, 7))
                results.back().push_back(output.clone());
        }
        for (const auto& other : {results[1], results[2]}) {
            for (size_t i = 0; i < other.size(); ++i) {
                QCOMPARE(other[i].byteSize(), results[0][i].byteSize());
                QVERIFY(size == 0 || std::memcmp(results[0][i].data(), other[i].data(),
                                                 other[i].byteSize()) == 0);
            }
        }
    }

    void masksThatOnlyGradientsReadArePacked_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QStringList>("operators");
        const QStringList packed{"temper.BitDropout", "temper.BitDropoutGrad"};
        const QStringList plain{"Dropout", "com.microsoft.DropoutGrad"};
        const auto row = [](const char* name, const std::string& nodes,
                            const QStringList& operators) {
            QTest::newRow(name) << QString::fromStdString(nodes) << operators;
        };
        row("a gradient", nodesOf("float"), packed);
        row("two gradients",
            nodesOf("float", "y, dx, d2", "d2 = com.microsoft.DropoutGrad(x, m, r, t)"),
            packed + QStringList{"temper.BitDropoutGrad"});
        row("given out", nodesOf("float", "y, dx, m"), plain);
        row("read by others", nodesOf("float", "y, dx, n", "n = Not(m)"),
            QStringList{"Dropout", "Not", "com.microsoft.DropoutGrad"});
    }
    void masksThatOnlyGradientsReadArePacked() {
        QFETCH(QString, nodes);
        QFETCH(QStringList, operators);
        const auto graph = parse(nodes.toStdString());
        QStringList found;
        const auto made = plan(*graph);
        for (const auto& step : made->steps()) found << QString::fromStdString(step.op);
        found.sort();
        operators.sort();
        QCOMPARE(found, operators);
    }

    void theyTakeAnEighthOfTheMemory() {
        // Its result and its gradient are no outputs, so that they share the arena with the mask.
        const auto graph = parse(
            "(float[N] x, float[N] dy, float r, bool t) => (z) { y, m = Dropout(x, r, t) "
            "s = ReduceSum(y)  dx = com.microsoft.DropoutGrad(dy, m, r, t)  u = ReduceSum(dx) "
            "z = Add(s, u) }");
        const size_t packed = plan(*graph)->arenaBytes(),
                     plain = plan(*graph, {kPass})->arenaBytes();
        QVERIFY2(plain - packed > kSize * 3 / 4,
                 qPrintable(QString("%1 and %2").arg(plain).arg(packed)));
    }

private:
    static constexpr size_t kSize = 100000;

    std::unique_ptr<Graph> parse(const std::string& nodes) const {
        return parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + nodes);
    }
    std::shared_ptr<const ExecutionPlan> plan(const Graph& graph,
                                              const std::vector<std::string>& without = {}) const {
        const Shape shape{static_cast<int64_t>(kSize)};
        const InputTypes types = {{"x", {{DType::Float32, shape}}},
                                  {"dy", {{DType::Float32, shape}}},
                                  {"r", {{DType::Float32, {}}}},
                                  {"t", {{DType::Bool, {}}}}};
        return ExecutionPlan::compile(graph, types, ops_.catalog, ops_.cpuKernels,
                                      {.withoutPasses = without});
    }

    OpSet ops_ = standardOps();
};

QTEST_GUILESS_MAIN(PackMasksTest)
#include "pack_masks_test.moc"
