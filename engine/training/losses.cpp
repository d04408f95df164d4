// SPDX-License-Identifier: Apache-2.0
#include "engine/training/losses.h"

#include <algorithm>
#include <cctype>

#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// SoftmaxCrossEntropyLoss came with opset 12.
constexpr int64_t kCrossEntropyOpset = 12;

/// Appends nodes named and numbered as ORT's blocks do.
class LossBuilder {
public:
    LossBuilder(Graph& graph, const OpCatalog& catalog, NameCounter& names)
        : graph_(graph), catalog_(catalog), names_(names) {}

    Graph& graph() { return graph_; }
    NameCounter& names() { return names_; }

    Value* op(const std::string& opType, std::vector<Value*> inputs, Attributes attributes = {}) {
        std::string token = opType;
        std::transform(token.begin(), token.end(), token.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const std::string output = names_.next(token + "_output");
        return add({opType,
                    std::move(inputs),
                    {output},
                    std::move(attributes),
                    "",
                    names_.next(opType),
                    ""})
            ->output(0);
    }

    Node* add(NodeSpec spec) {
        Node* node = graph_.addNode(std::move(spec));
        inferNodeTypes(graph_, *node, catalog_);
        return node;
    }

    Value* mean(Value* value) { return op("ReduceMean", {value}, {{"keepdims", int64_t{0}}}); }

    /// A value of this name, or a new graph input of this type.
    Value* target(const std::string& name, const ValueType& type) {
        Value* found = graph_.find(name);
        return found != nullptr ? found : graph_.addInput(name, type);
    }

private:
    Graph& graph_;
    const OpCatalog& catalog_;
    NameCounter& names_;
};

/// Labels: the logits' shape without the class axis 1.
ValueType labelType(const ValueType& logits) {
    SymbolicShape shape = *logits.shape;
    shape.erase(shape.begin() + 1);
    return {DType::Int64, std::move(shape), false};
}

LossValues crossEntropy(LossBuilder& build, Value* logits, const std::string& targetName) {
    Value* labels = build.target(targetName, labelType(logits->type()));
    build.names().skip(1);  // the class weights' name
    const std::string loss = build.names().next("loss");
    const std::string logProb = build.names().next("log_prob");
    NodeSpec spec;
    spec.inputs = {logits, labels};
    spec.outputs = {loss, logProb};
    spec.attributes = {{"reduction", std::string("mean")}};
    spec.opType = "SoftmaxCrossEntropyLoss";
    if (build.graph().info().onnxOpset() < kCrossEntropyOpset) {
        spec.opType = "SoftmaxCrossEntropyLossInternal";
        spec.domain = kMicrosoftDomain;
        build.graph().info().opsetImports[spec.domain] = 1;
    }
    spec.name = build.names().next("SoftmaxCrossEntropyLoss");
    return {build.add(std::move(spec))->output(0), labels};
}

LossValues meanSquaredError(LossBuilder& build, Value* x, const std::string& targetName) {
    Value* target = build.target(targetName, x->type());
    Value* difference = build.op("Sub", {x, target});
    Value* two = build.graph().addInitializer(build.names().next("pow_exponent"),
                                              Tensor::of<float>({1}, {2.0F}));
    return {build.mean(build.op("Pow", {difference, two})), target};
}

LossValues meanAbsoluteError(LossBuilder& build, Value* x, const std::string& targetName) {
    Value* target = build.target(targetName, x->type());
    return {build.mean(build.op("Abs", {build.op("Sub", {x, target})})), target};
}

LossValues binaryCrossEntropy(LossBuilder& build, Value* x, const std::string& targetName) {
    Value* target = build.target(targetName, x->type());
    Value* softplus = build.op("Softplus", {x});
    return {build.mean(build.op("Sub", {softplus, build.op("Mul", {x, target})})), target};
}

/// The built-in losses; the first is the default.
struct LossEntry {
    Choice choice;
    std::string target;
    LossValues (*append)(LossBuilder&, Value*, const std::string&);
};
const std::vector<LossEntry>& lossTable() {
    static const std::vector<LossEntry> kTable = {
        {{"cross-entropy", "Cross entropy", "Classification: one of several classes.", {}},
         "labels",
         crossEntropy},
        {{"mse", "Mean squared error", "Regression: numbers, large errors count more.", {}},
         "target",
         meanSquaredError},
        {{"bce-with-logits",
          "Binary cross entropy with logits",
          "Yes or no for each output; targets between 0 and 1.",
          {}},
         "target",
         binaryCrossEntropy},
        {{"l1", "Mean absolute error", "Regression: numbers, robust against outliers.", {}},
         "target",
         meanAbsoluteError},
    };
    return kTable;
}

const LossEntry* findLoss(const std::string& key) {
    const auto& table = lossTable();
    const auto found = std::find_if(table.begin(), table.end(), [&](const LossEntry& entry) {
        return entry.choice.key == key;
    });
    return found == table.end() ? nullptr : &*found;
}

Finding lossFinding(const std::string& message, const std::string& hint) {
    return {"A008", Severity::Error, "", "", message, hint, {}};
}

const Node* producerOf(const Value* value, const std::string& opType) {
    const Node* node = value == nullptr ? nullptr : value->producer();
    return node != nullptr && node->opType() == opType ? node : nullptr;
}

/// Prediction and target are the two inputs of a symmetric node; the target is the graph input.
bool takeOperands(const Node* node, LossInfo& info) {
    if (node == nullptr) return false;
    const Value* a = node->input(0);
    const Value* b = node->input(1);
    if (a->isGraphInput() && !b->isGraphInput()) std::swap(a, b);
    info.prediction = a->name();
    info.target = b->name();
    return true;
}

/// mean(f(...)) of the built-in losses.
void describeMean(const Value* mean, LossInfo& info) {
    if (const Node* power = producerOf(mean, "Pow")) {
        if (takeOperands(producerOf(power->input(0), "Sub"), info)) info.kind = "mse";
    } else if (const Node* absolute = producerOf(mean, "Abs")) {
        if (takeOperands(producerOf(absolute->input(0), "Sub"), info)) info.kind = "l1";
    } else if (const Node* difference = producerOf(mean, "Sub")) {
        const Node* softplus = producerOf(difference->input(0), "Softplus");
        const Node* product = producerOf(difference->input(1), "Mul");
        if (softplus != nullptr && takeOperands(product, info)) info.kind = "bce-with-logits";
    } else if (const Node* negative = producerOf(mean, "Neg")) {
        const Node* sum = producerOf(negative->input(0), "Add");
        const Node* product = sum == nullptr ? nullptr : producerOf(sum->input(0), "Mul");
        const Node* log = product == nullptr ? nullptr : producerOf(product->input(0), "Log");
        const Node* sigmoid = log == nullptr ? nullptr : producerOf(log->input(0), "Sigmoid");
        if (sigmoid == nullptr) return;
        info.kind = "bce-with-logits";
        info.prediction = sigmoid->input(0)->name();
        info.target = product->input(1)->name();
    }
}

}  // namespace

const std::vector<Choice>& lossChoices() {
    static const std::vector<Choice> kChoices = [] {
        std::vector<Choice> choices;
        for (const LossEntry& entry : lossTable()) choices.push_back(entry.choice);
        choices.push_back({"none",
                           "None: the model's output is its loss",
                           "For models that already compute a scalar loss.",
                           {}});
        return choices;
    }();
    return kChoices;
}

std::string defaultTargetName(const std::string& loss) {
    const LossEntry* entry = findLoss(loss);
    return entry == nullptr ? "target" : entry->target;
}

std::optional<Finding> checkLoss(const Selection& loss, const Value& prediction) {
    const ValueType& type = prediction.type();
    const std::string found = "'" + prediction.name() + "' is " + formatType(type);
    if (loss.key == "none") {
        const bool isScalar =
            type.shape && type.isStatic() && numElements(*concreteShape(*type.shape)) == 1;
        if (isScalar && type.dtype == DType::Float32) return std::nullopt;
        return lossFinding("With loss 'none' the model's output is the loss; " + found +
                               ", expected a float32 scalar.",
                           "Choose a loss, or an output that is a single number.");
    }
    if (findLoss(loss.key) == nullptr) {
        std::string known;
        for (const Choice& choice : lossChoices())
            known += (known.empty() ? "" : ", ") + choice.key;
        return lossFinding("Loss '" + loss.key + "' is not known.",
                           "Choose one of: " + known + ".");
    }
    if (type.dtype != DType::Float32) {
        return lossFinding("The loss reads float32 numbers; " + found + ".",
                           "Choose another output, or export the model in float32.");
    }
    if (!type.shape) {
        return lossFinding("The rank of '" + prediction.name() + "' is not known.",
                           "Export the model with shapes.");
    }
    if (loss.key == "cross-entropy" && type.shape->size() < 2) {
        return lossFinding("Cross entropy reads logits [N, classes, ...]; " + found + ".",
                           "Choose another output or another loss.");
    }
    return std::nullopt;
}

LossValues appendLoss(Graph& graph, const OpCatalog& catalog, const Selection& loss,
                      Value* prediction, const std::string& targetName, NameCounter& names) {
    const LossEntry* entry = findLoss(loss.key);
    TEMPER_ASSERT(entry != nullptr, "the loss was checked");
    LossBuilder builder(graph, catalog, names);
    return entry->append(builder, prediction, targetName);
}

LossInfo describeLoss(const Graph& model) {
    LossInfo info;
    info.kind = "custom";
    if (model.outputs().empty()) return info;
    const Value* loss = model.outputs().front();
    info.loss = loss->name();
    const Node* node = loss->producer();
    if (node == nullptr) return info;
    if (node->opType().starts_with("SoftmaxCrossEntropyLoss")) {
        info.kind = "cross-entropy";
        info.prediction = node->input(0)->name();
        info.target = node->input(1)->name();
    } else if (node->opType() == "ReduceMean") {
        describeMean(node->input(0), info);
    }
    return info;
}

}  // namespace temper
