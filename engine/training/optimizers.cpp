// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers.h"

#include <string>

namespace temper {
namespace {

constexpr int64_t kIrVersion = 8;

HyperParameter clipNorm() {
    return {"clip_norm",
            "Clip gradient norm",
            "",
            0,
            0,
            1e6,
            "Scales all gradients down to this norm; 0 switches it off."};
}

/// The two forms differ in their defaults and in when the weights decay.
std::vector<HyperParameter> adamParameters(double epsilon, double weightDecay) {
    return {{"beta1", "Beta 1", "", 0.9, 0, 0.999999, "Decay of the mean of gradients."},
            {"beta2", "Beta 2", "", 0.999, 0, 0.999999, "Decay of the mean of squared gradients."},
            {"epsilon", "Epsilon", "", epsilon, 1e-12, 1, "Keeps the division away from zero."},
            {"weight_decay", "Weight decay", "per step and learning rate", weightDecay, 0, 1,
             "Shrinks the weights a little with every step."},
            clipNorm()};
}

/// Builds the model around the optimizer node.
class OptimizerBuilder {
public:
    OptimizerBuilder(int64_t opset, NameCounter& names) : names_(names) {
        graph_->setName("graph");
        graph_->info().irVersion = kIrVersion;
        graph_->info().producerName = "temper";
        graph_->info().opsetImports = {{"com.microsoft", 1}, {"", opset}};
        learningRate_ = graph_->addInput("learning_rate", {DType::Float32, {{Dim::of(1)}}, false});
        step_ = graph_->addInput("step", {DType::Int64, {{Dim::of(1)}}, false});
        parameters_ = sequence("params");
        gradients_ = sequence("gradients");
        first_ = sequence("first_order_moments");
    }

    void clip(double norm) {
        if (norm <= 0) return;
        const std::string output = names_.next("clip_grad_norm_output");
        gradients_ = graph_
                         ->addNode({"InplaceClipGradNorm",
                                    {gradients_},
                                    {output},
                                    {{"max_norm", static_cast<float>(norm)}},
                                    std::string(kMicrosoftDomain),
                                    names_.next("InplaceClipGradNorm"),
                                    ""})
                         ->output(0);
        gradients_->setType({DType::Float32, std::nullopt, true});
    }

    std::unique_ptr<Graph> adam(Attributes attributes) {
        Value* second = sequence("second_order_moments");
        return finish("AdamWOptimizer", "adamw.updated_flag", {Dim::of(1)},
                      {learningRate_, step_, parameters_, gradients_, first_, second},
                      std::move(attributes));
    }

    std::unique_ptr<Graph> sgd() {
        return finish("SGDOptimizerV2", "update_completed", {},
                      {learningRate_, parameters_, gradients_}, {});
    }

private:
    Value* sequence(const std::string& name) {
        return graph_->addInput(name, {DType::Float32, std::nullopt, true});
    }

    /// The flag has the shape that ORT's operator infers: every build of it loads that.
    std::unique_ptr<Graph> finish(const std::string& op, const std::string& flag,
                                  SymbolicShape shape, std::vector<Value*> inputs,
                                  Attributes attributes) {
        const std::string output = names_.next(flag);
        const Node* node = graph_->addNode({op,
                                            std::move(inputs),
                                            {output},
                                            std::move(attributes),
                                            std::string(kMicrosoftDomain),
                                            names_.next(op),
                                            ""});
        node->output(0)->setType({DType::Bool, std::move(shape), false});
        graph_->addOutput(node->output(0));
        return std::move(graph_);
    }

    NameCounter& names_;
    std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
    Value* learningRate_ = nullptr;
    Value* step_ = nullptr;
    Value* parameters_ = nullptr;
    Value* gradients_ = nullptr;
    Value* first_ = nullptr;
};

}  // namespace

const std::vector<Choice>& optimizerChoices() {
    static const std::vector<Choice> kChoices = {
        {"adamw", "AdamW", "Adapts the step of each weight; ONNX Runtime's defaults.",
         adamParameters(1e-6, 0.0)},
        {"adamw-torch", "AdamW (PyTorch's form)",
         "The weights decay before the step; PyTorch's defaults.", adamParameters(1e-8, 0.01)},
        {"sgd", "SGD", "Plain gradient descent.", {clipNorm()}},
        {"none", "None", "No optimizer model: gradients and evaluation only.", {}},
    };
    return kChoices;
}

std::unique_ptr<Graph> makeOptimizerModel(const Selection& optimizer, int64_t opset,
                                          NameCounter& names) {
    const auto value = [&](const std::string& key) {
        return optimizer.value(optimizerChoices(), key);
    };
    OptimizerBuilder builder(opset, names);
    builder.clip(value("clip_norm"));
    if (optimizer.key == "sgd") return builder.sgd();
    const int64_t mode = optimizer.key == "adamw-torch" ? 0 : 1;
    return builder.adam({{"alpha", static_cast<float>(value("beta1"))},
                         {"beta", static_cast<float>(value("beta2"))},
                         {"epsilon", static_cast<float>(value("epsilon"))},
                         {"weight_decay", static_cast<float>(value("weight_decay"))},
                         {"correct_bias", int64_t{1}},
                         {"adam_mode", mode}});
}

}  // namespace temper
