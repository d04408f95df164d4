// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/execution_plan.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/training_session.h"
#include "tests/app/temper_program.h"

namespace temper::test {

constexpr int kRounds = 7;

/// How long it takes until training is under way; prints the figures of each phase.
class StartBenchTest : public QObject {
    Q_OBJECT

private slots:
    void aTrainingRunStartsCold();
    void planOfResNet18();
    void artifactsOfFiveThousandNodes();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QTemporaryDir dir_;
};

/// A model with random weights, as text.
class ModelText {
public:
    ModelText(std::string input, std::string output)
        : input_(std::move(input)), output_(std::move(output)) {}

    /// The name of a new parameter.
    std::string parameter(const Shape& shape) {
        parameters_.push_back({"p" + std::to_string(parameters_.size()), shape});
        return parameters_.back().name;
    }

    /// The name of the result of a new node; `more` are further outputs.
    std::string node(const std::string& call, const std::string& more = {}) {
        const std::string result = "v" + std::to_string(count_++);
        nodes_ += result + more + " = " + call + "\n";
        return result;
    }
    std::string number() const { return std::to_string(count_); }

    std::unique_ptr<Graph> graph(const std::string& result) const {
        std::string text = "<ir_version: 8, opset_import: [\"\": 17]> g (" + input_;
        for (const Parameter& parameter : parameters_) {
            text += ", float" + formatShape(parameter.shape) + " " + parameter.name;
        }
        auto graph = parseText(text + ") => (" + output_ + ") {\n" + nodes_ + "output = Identity(" +
                               result + ")\n}");
        Random random(1);
        for (const Parameter& parameter : parameters_) {
            Tensor data(DType::Float32, parameter.shape);
            for (float& value : data.mutableValues<float>()) {
                value = 0.1F * static_cast<float>(random.uniform());
            }
            graph->inputToInitializer(graph->at(parameter.name), data);
        }
        return graph;
    }

private:
    struct Parameter {
        std::string name;
        Shape shape;
    };

    std::string input_;
    std::string output_;
    std::string nodes_;
    std::vector<Parameter> parameters_;
    int count_ = 0;
};

/// Layers with `widths` units.
std::unique_ptr<Graph> perceptron(const std::vector<int64_t>& widths) {
    ModelText model("float[N," + std::to_string(widths.front()) + "] input",
                    "float[N," + std::to_string(widths.back()) + "] output");
    std::string x = "input";
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
        if (i > 0) x = model.node("Relu(" + x + ")");
        const std::string weights = model.parameter({widths[i], widths[i + 1]});
        const std::string product = model.node("MatMul(" + x + ", " + weights + ")");
        x = model.node("Add(" + product + ", " + model.parameter({widths[i + 1]}) + ")");
    }
    return model.graph(x);
}

/// Source: He et al., "Deep Residual Learning for Image Recognition", 2015.
class ResNet18 {
public:
    std::unique_ptr<Graph> graph() {
        std::string x = relu(convolution("input", 3, 64, 7, 2));
        x = model_.node("MaxPool<kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>(" + x +
                        ")");
        int64_t channels = 64;
        for (const int64_t wider : {64, 128, 256, 512}) {
            x = block(x, channels, wider);
            x = block(x, wider, wider);
            channels = wider;
        }
        x = model_.node("Flatten(" + model_.node("GlobalAveragePool(" + x + ")") + ")");
        const std::string weights = model_.parameter({512, 10});
        return model_.graph(
            model_.node("Gemm(" + x + ", " + weights + ", " + model_.parameter({10}) + ")"));
    }

private:
    std::string relu(const std::string& x) { return model_.node("Relu(" + x + ")"); }

    /// With its normalization.
    std::string convolution(const std::string& x, int64_t from, int64_t to, int64_t size,
                            int64_t stride) {
        const std::string step = std::to_string(stride), pad = std::to_string(size / 2);
        const std::string image = model_.node(
            "Conv<strides = [" + step + "," + step + "], pads = [" + pad + "," + pad + "," + pad +
            "," + pad + "]>(" + x + ", " + model_.parameter({to, from, size, size}) + ")");
        std::string call = "BatchNormalization<training_mode = 1>(" + image;
        for (int i = 0; i < 4; ++i) call += ", " + model_.parameter({to});
        const std::string number = model_.number();
        return model_.node(call + ")", ", mean" + number + ", variance" + number);
    }

    std::string block(const std::string& x, int64_t from, int64_t to) {
        const int64_t stride = from == to ? 1 : 2;
        const std::string inner = relu(convolution(x, from, to, 3, stride));
        const std::string outer = convolution(inner, to, to, 3, 1);
        const std::string beside = from == to ? x : convolution(x, from, to, 1, stride);
        return relu(model_.node("Add(" + outer + ", " + beside + ")"));
    }

    ModelText model_{"float[N,3,224,224] input", "float[N,10] output"};
};

/// Prints the median of some rounds, and the first round, which runs with cold caches.
template <typename F>
void printTimes(const char* what, double aim, F&& action) {
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        QElapsedTimer timer;
        timer.start();
        action();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    const double first = times.front();
    std::ranges::sort(times);
    qInfo("%s: %.0f ms (first; median of %d: %.0f ms; aim < %.0f ms)", what, first, kRounds,
          times[kRounds / 2], aim);
}

void StartBenchTest::aTrainingRunStartsCold() {
    constexpr int64_t kBatch = 64;
    saveModel(*perceptron({784, 512, 256, 10}), path("mlp.onnx").toStdString());
    writeNpz(path("data.npz").toStdString(), {{"input", Tensor(DType::Float32, {kBatch, 784})},
                                              {"labels", Tensor(DType::Int64, {kBatch})}});
    QCOMPARE(runTemper({"artifacts", path("mlp.onnx"), "--out", path("mlp")}).exitStatus, 0);
    printTimes("temper train --steps 1, an MLP of 535,818 parameters, the whole program", 150, [&] {
        const ProgramResult result = runTemper({"train", path("mlp"), "--data", path("data.npz"),
                                                "--batch-size", "64", "--steps", "1"});
        QVERIFY2(result.exitStatus == 0, result.all());
    });
}

void StartBenchTest::planOfResNet18() {
    const auto ops = std::make_shared<const OpSet>(standardOps());
    const auto model = ResNet18().graph();
    inferTypes(*model, ops->catalog);
    const Artifacts artifacts = generateArtifacts(*model, *ops, {});
    InputTypes types;
    for (const Value* input : artifacts.trainingModel->inputs()) {
        Shape shape;
        for (const Dim& dim : *input->type().shape) shape.push_back(dim.isNumber() ? dim.value : 8);
        types[input->name()] = {{input->type().dtype, shape}};
    }
    printTimes("training plan of ResNet-18, batches of 8", 300, [&] {
        ExecutionPlan::compile(*artifacts.trainingModel, types, ops->catalog, ops->cpuKernels);
    });
}

void StartBenchTest::artifactsOfFiveThousandNodes() {
    const auto model = perceptron(std::vector<int64_t>(1668, 16));
    QVERIFY(model->nodeCount() >= 5000);
    saveModel(*model, path("deep.onnx").toStdString());
    printTimes("temper artifacts, 5,001 nodes, the whole program", 1000, [&] {
        const ProgramResult result =
            runTemper({"artifacts", path("deep.onnx"), "--out", path("deep")});
        QVERIFY2(result.exitStatus == 0, result.all());
    });
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::StartBenchTest)
#include "start_bench_test.moc"
