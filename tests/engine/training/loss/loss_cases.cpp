// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/training/loss/loss_cases.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/ir/type_inference.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {
namespace {

Tensor tensorOf(const QJsonArray& values, Shape shape, DType dtype) {
    Tensor wide(DType::Float64, std::move(shape));
    auto target = wide.mutableValues<double>();
    for (size_t i = 0; i < target.size(); ++i) target[i] = values[qsizetype(i)].toDouble();
    return wide.cast(dtype);
}

std::map<std::string, Tensor> tensorsOf(const QJsonObject& entries) {
    std::map<std::string, Tensor> tensors;
    for (auto it = entries.begin(); it != entries.end(); ++it) {
        const QJsonObject entry = it->toObject();
        Shape shape;
        for (const QJsonValue dim : entry["shape"].toArray()) shape.push_back(dim.toInteger());
        const DType dtype = entry["type"] == "int64" ? DType::Int64 : DType::Float32;
        tensors[it.key().toStdString()] = tensorOf(entry["values"].toArray(), shape, dtype);
    }
    return tensors;
}

LossCase caseOf(const QJsonObject& json) {
    LossCase one;
    one.formula = json["formula"].toString().toStdString();
    one.outputs = tensorsOf(json["outputs"].toObject());
    one.targets = tensorsOf(json["targets"].toObject());
    one.loss = json["loss"].toDouble();
    for (const auto& [name, value] : one.outputs) {
        const QJsonArray values = json["gradients"][QString::fromStdString(name)].toArray();
        one.gradients[name] = tensorOf(values, value.shape(), DType::Float32);
    }
    return one;
}

}  // namespace

std::unique_ptr<Graph> LossCase::model() const {
    auto graph = std::make_unique<Graph>();
    graph->setName("outputs");
    graph->info().opsetImports = {{"", 17}};
    Value* one = graph->addInput("one", {DType::Float32, SymbolicShape{Dim::of(1)}, false});
    for (const auto& [name, value] : outputs) {
        Value* parameter = graph->addInitializer("parameter_" + name, value.clone());
        NodeSpec spec;
        spec.opType = "Mul";
        spec.inputs = {parameter, one};
        spec.outputs = {name};
        spec.name = "/" + name;
        graph->addOutput(graph->addNode(std::move(spec))->output(0));
    }
    inferTypes(*graph, allOps()->catalog);
    return graph;
}

ArtifactSpec LossCase::spec() const {
    ArtifactSpec spec;
    spec.loss = {formula, {}};
    spec.optimizer = {"sgd", {}};
    return spec;
}

std::map<std::string, Tensor> LossCase::feeds() const {
    std::map<std::string, Tensor> feeds = targets;
    feeds["one"] = Tensor::of<float>({1}, {1.0F});
    return feeds;
}

const std::vector<LossCase>& lossCases() {
    static const std::vector<LossCase> kCases = [] {
        std::vector<LossCase> cases;
        for (const char* name : {"loss_golden.json", "token_golden.json"}) {
            QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/tests/engine/training/loss/") + name);
            if (!file.open(QIODevice::ReadOnly)) return std::vector<LossCase>();
            for (const QJsonValue one : QJsonDocument::fromJson(file.readAll()).array()) {
                cases.push_back(caseOf(one.toObject()));
            }
        }
        return cases;
    }();
    return kCases;
}

namespace {

void addLossRow(size_t index) {
    QTest::addRow("%d: %s", int(index), lossCases()[index].formula.c_str()) << int(index);
}

/// Sums and single losses consist of the same operators as means; one loss represents them all.
bool repeatsAnother(const LossCase& one) {
    const auto has = [&](const char* text) { return one.formula.find(text) != std::string::npos; };
    return (has("reduction=sum") || has("reduction=none")) && !has("mse(");
}

}  // namespace

void addLossRows() {
    QTest::addColumn<int>("index");
    QVERIFY2(lossCases().size() > 50, "the golden values were not found");
    for (size_t i = 0; i < lossCases().size(); ++i) addLossRow(i);
}

void addFewLossRows() {
    QTest::addColumn<int>("index");
    for (size_t i = 0; i < lossCases().size(); ++i) {
        if (!repeatsAnother(lossCases()[i])) addLossRow(i);
    }
}

}  // namespace temper::test
