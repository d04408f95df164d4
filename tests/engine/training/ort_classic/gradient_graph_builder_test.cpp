// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/gradient_graph_builder.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "tests/engine/training/ort_classic/classic_network.h"
#include "tests/support/oracle.h"

namespace temper::test {

using Names = std::vector<std::string>;

/// Runs a model once. Returns: its outputs by name.
static Arrays runModel(const Graph& model, const Arrays& feeds) {
    std::shared_ptr<Graph> graph = model.clone();
    inferTypes(*graph, allOps()->catalog);
    ThreadPool pool(1);
    GraphRunner runner(graph, allOps()->catalog, allOps()->cpuKernels, std::make_shared<Arena>(),
                       pool);
    std::vector<Tensor> inputs;
    for (const std::string& name : runner.fedInputs()) inputs.push_back(feeds.at(name));
    const auto outputs = runner.run(inputs);
    Arrays result;
    for (size_t i = 0; i < outputs.size(); ++i) {
        result[graph->outputs()[i]->name()] = outputs[i].clone();
    }
    return result;
}

class GradientGraphBuilderTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsOfALossArePyTorchs();
    void aVectorJacobianProductIsPyTorchs();
    void theModelIsItsForwardModelAndMore();
    void test_set_requires_grad_on_inputs();
    void bytesAndFileHoldTheSameModel();
    void onnxRuntimeComputesTheSameGradients();
    void wrongRequestsAreExplained_data();
    void wrongRequestsAreExplained();
    void anOutputThatNoInputInfluencesGetsNoGradient();
    void anOperatorWithoutGradientIsNamedAndTheModelStays();
    void aGradientGraphIsBuiltOnceAndThenRead();

private:
    GradientGraphBuilder builder(GradientGraphRequest request) const {
        return {*classicNetwork(golden_), std::move(request), allOps()};
    }
    Arrays feeds() const {
        return {{"x", sliceOf(golden_.at("x"), 0)},
                {"target", sliceOf(golden_.at("target"), 0)},
                {"scores_grad", golden_.at("scores_seed")},
                {"energy_grad", golden_.at("energy_seed")}};
    }
    void compare(const Arrays& outputs, const Names& inputs, const std::string& key) const {
        for (const std::string& name : inputs) {
            const double worst =
                worstRatio(outputs.at(name + "_grad"), golden_.at(key + name), 1e-6, 1e-5);
            QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
        }
    }

    const Arrays golden_ = classicGolden();
};

void GradientGraphBuilderTest::gradientsOfALossArePyTorchs() {
    const Names weights{"w1", "b1", "w2", "b2"};
    GradientGraphBuilder gradients = builder({{"loss"}, weights, "loss"});
    gradients.build();
    compare(runModel(gradients.model(), feeds()), weights, "loss/");
}

void GradientGraphBuilderTest::aVectorJacobianProductIsPyTorchs() {
    // parameters, a graph input, and an intermediate value
    const Names inputs{"w1", "b1", "w2", "b2", "x", "h"};
    GradientGraphBuilder gradients = builder({{"scores", "energy"}, inputs, ""});
    gradients.build();
    compare(runModel(gradients.model(), feeds()), inputs, "vjp/");
}

void GradientGraphBuilderTest::theModelIsItsForwardModelAndMore() {
    GradientGraphBuilder gradients = builder({{"loss", "energy"}, {"w1", "x"}, "loss"});
    gradients.build();
    const Graph& model = gradients.model();
    QCOMPARE(namesOf(model.inputs()), (Names{"x", "target", "energy_grad"}));
    QCOMPARE(namesOf(model.outputs()), (Names{"scores", "energy", "loss", "w1_grad", "x_grad"}));
    QVERIFY(model.at("w1")->isInitializer());
    QCOMPARE(model.at("loss_grad")->constant().toDouble(), 1.0);
    const Arrays outputs = runModel(model, feeds());
    const Arrays forward = runModel(*classicNetwork(golden_), feeds());
    for (const auto& [name, value] : forward)
        QVERIFY(worstRatio(outputs.at(name), value, 1e-9, 0) <= 1);
}

void GradientGraphBuilderTest::test_set_requires_grad_on_inputs() {
    GradientGraphBuilder gradients = builder({{"loss"}, {"x"}, "loss"});
    gradients.build();
    const Value* gradient = gradients.model().find("x_grad");
    QVERIFY(gradient != nullptr && gradient->isGraphOutput());
    QVERIFY(gradient->type().shape == classicNetwork(golden_)->at("x")->type().shape);
}

void GradientGraphBuilderTest::bytesAndFileHoldTheSameModel() {
    const std::string forward = serializeModel(*classicNetwork(golden_));
    GradientGraphBuilder gradients(std::as_bytes(std::span(forward)), {{"loss"}, {"w1"}, "loss"},
                                   allOps());
    gradients.build();
    const QTemporaryDir folder;
    const QString path = folder.filePath("gradients.onnx");
    gradients.save(path.toStdString());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QCOMPARE(bytes.toStdString(), gradients.modelBytes());
    const auto read = loadModel(path.toStdString());
    compare(runModel(*read, feeds()), {"w1"}, "loss/");
}

void GradientGraphBuilderTest::onnxRuntimeComputesTheSameGradients() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const Names inputs{"w1", "b1", "w2", "b2", "x"};
    GradientGraphBuilder gradients = builder({{"scores", "energy"}, inputs, ""});
    gradients.build();
    const QTemporaryDir folder;
    gradients.save(folder.filePath("gradients.onnx").toStdString());
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds());
    const OracleResult there =
        runOracle("infer.py", {"--model", folder.filePath("gradients.onnx"), "--feeds",
                               folder.filePath("feeds.npz"), "--out",
                               folder.filePath("outputs.npz"), "--runtime", "training"});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compare(readNpz(folder.filePath("outputs.npz").toStdString()), inputs, "vjp/");
}

void GradientGraphBuilderTest::wrongRequestsAreExplained_data() {
    QTest::addColumn<Names>("outputs");
    QTest::addColumn<Names>("inputs");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, Names outputs, Names inputs, const char* loss,
                        const char* message) {
        QTest::newRow(name) << outputs << inputs << QString(loss) << QString(message);
    };
    row("an unknown y", {"cost"}, {"w1"}, "", "Node arg 'cost' is not found in the graph.");
    row("an unknown x", {"loss"}, {"w9"}, "loss", "Node arg 'w9' is not found in the graph.");
    row("y is an initializer", {"w2"}, {"w1"}, "", "'w2' is an initializer");
    row("an x that nothing reads", {"loss"}, {"energy"}, "loss", "No node reads 'energy'.");
    row("an x after y", {"h"}, {"w2"}, "",
        "Cannot compute the partial derivative for 'w2' as it is unreachable from the outputs "
        "'h'.");
    row("integers", {"energy"}, {"axis"}, "",
        "Cannot compute the partial derivative for 'axis' as it is unreachable");
    row("a loss that is no y", {"scores"}, {"w1"}, "loss",
        "The loss 'loss' is not among the outputs 'scores'.");
    row("a loss of many numbers", {"scores"}, {"w1"}, "scores",
        "The loss 'scores' has the shape [N, 2]; expected a single number.");
}

void GradientGraphBuilderTest::wrongRequestsAreExplained() {
    QFETCH(Names, outputs);
    QFETCH(Names, inputs);
    QFETCH(QString, loss);
    QFETCH(QString, message);
    try {
        builder({outputs, inputs, loss.toStdString()});
        QFAIL("nothing was thrown");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(!error.hint().empty());
    }
}

void GradientGraphBuilderTest::anOutputThatNoInputInfluencesGetsNoGradient() {
    GradientGraphBuilder gradients = builder({{"loss", "energy"}, {"w2"}, "loss"});
    gradients.build();
    QVERIFY(gradients.model().find("energy_grad") == nullptr);
    compare(runModel(gradients.model(), feeds()), {"w2"}, "loss/");
}

void GradientGraphBuilderTest::anOperatorWithoutGradientIsNamedAndTheModelStays() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17, "example" : 1]>
        g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
            a = Mul(x, w)
            y = example.Mystery(a)
        })");
    GradientGraphBuilder gradients(*model, {{"y"}, {"w"}, ""}, allOps());
    try {
        gradients.build();
        QFAIL("nothing was thrown");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::Unsupported);
        QVERIFY2(QString(error.what()).contains("no gradient rule for example.Mystery"),
                 error.what());
    }
    QVERIFY_THROWS_EXCEPTION(Error, gradients.model());
}

void GradientGraphBuilderTest::aGradientGraphIsBuiltOnceAndThenRead() {
    GradientGraphBuilder gradients = builder({{"loss"}, {"w1"}, "loss"});
    QVERIFY_THROWS_EXCEPTION(Error, gradients.modelBytes());
    gradients.build();
    QVERIFY(!gradients.modelBytes().empty());
    QVERIFY_THROWS_EXCEPTION(Error, gradients.build());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GradientGraphBuilderTest)
#include "gradient_graph_builder_test.moc"
