// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ops/update/parameter_sequences_cpu.h"
#include "engine/ops/update/update.h"
#include "engine/ops/update/update_rules_cpu.h"

namespace temper {
namespace {

using Rule = simd::UpdateRule;

const Rule* findRule(std::string_view name) {
    const std::span<const Rule> rules = simd::updateRules();
    const auto found = std::ranges::find(rules, name, &Rule::name);
    return found == rules.end() ? nullptr : &*found;
}

const Rule& ruleOf(const PrepareContext& context) {
    const auto name = context.node().attribute<std::string>("rule", "");
    if (const Rule* rule = findRule(name)) return *rule;
    context.fail(ErrorCode::InvalidInput, "Attribute 'rule' is '" + name + "'; expected one of " +
                                              joined(simd::updateRules(), &Rule::name) + ".");
}

/// Even SGD has one, like ORT's, which it never changes.
size_t keptMoments(const Rule& rule) { return std::max<size_t>(1, rule.moments); }

/// A number of each parameter: the attribute `each`, or `all` for every one of them.
template <typename T>
std::vector<T> perParameter(const PrepareContext& context, const char* each, T all) {
    const size_t count = context.sequence(2).size();
    auto values = context.node().attribute<std::vector<T>>(each, std::vector<T>(count, all));
    if (values.size() == count) return values;
    context.fail(ErrorCode::InvalidInput, "Attribute '" + std::string(each) + "' has " +
                                              counted(values.size(), "number") + "; expected " +
                                              std::to_string(count) + ", one for each parameter.");
}

/// lr, step, weights, gradients, momentums 1, momentums 2?
class OptimizerStepKernel final : public Kernel {
public:
    explicit OptimizerStepKernel(const PrepareContext& context)
        : rule_(ruleOf(context)),
          moments_(keptMoments(rule_)),
          chunks_(chunksOf(context.sequence(2))) {
        checkInputs(context);
        readAttributes(context);
        traits_.mutatedInputs = {2, 4};
        if (moments_ > 1) traits_.mutatedInputs.push_back(5);
        traits_.scratchBytes = factors_.size() * sizeof(simd::UpdateNumbers);
        if (rule_.prepare != nullptr) {
            traits_.scratchBytes += chunks_.size() * sizeof(simd::NormSums);
        }
    }

    void run(const RunContext& context) const override {
        const std::span<simd::UpdateNumbers> numbers = numbersOf(context);
        if (rule_.prepare != nullptr) scaleRates(context, numbers);
        forChunks(context, [&](int64_t, const Chunk& chunk) {
            rule_.update(part(context, chunk), chunk.count, numbers[chunk.element]);
        });
        if (bool* done = context.out<bool>(0)) *done = true;
    }

private:
    void checkInputs(const PrepareContext& context) const {
        requireScalar(context, 0, DType::Float32);
        requireScalar(context, 1, DType::Int64);
        const size_t expected = 4 + moments_;
        if (context.inputCount() != expected) {
            context.fail(ErrorCode::InvalidInput, "Rule '" + std::string(rule_.name) + "' has " +
                                                      counted(context.inputCount(), "input") +
                                                      "; expected " + std::to_string(expected) +
                                                      ".");
        }
        for (size_t i = 2; i < expected; ++i) {
            requireFloats(context, i);
            requireAlike(context, 2, i);
        }
    }

    void readAttributes(const PrepareContext& context) {
        const Node& node = context.node();
        // Momentum and alpha are what other rules call their betas.
        numbers_.beta1 = node.attribute<float>("beta1", node.attribute<float>("momentum", 0));
        numbers_.beta2 = node.attribute<float>("beta2", node.attribute<float>("alpha", 0));
        numbers_.epsilon = node.attribute<float>("epsilon", 0);
        numbers_.initial = node.attribute<float>("initial_accumulator", 0);
        const auto clip = node.attribute<float>("clip_value", 0);
        numbers_.clip = clip > 0 ? clip : std::numeric_limits<float>::infinity();
        rateDecay_ = node.attribute<float>("rate_decay", 0);
        factors_ = perParameter(context, "learning_rate_factors", 1.0F);
        decays_ = perParameter(context, "weight_decays", node.attribute<float>("weight_decay", 0));
        starts_ = perParameter(context, "start_steps", int64_t{0});
    }

    /// Of each parameter, in the scratch memory: a step allocates nothing.
    std::span<simd::UpdateNumbers> numbersOf(const RunContext& context) const {
        const int64_t step = *context.in<int64_t>(1);
        simd::UpdateNumbers common = numbers_;
        common.lr = *context.in<float>(0) / (1 + static_cast<float>(step - 1) * rateDecay_);
        common.correction1 = correctionOf(common.beta1, step);
        common.correction2 = correctionOf(common.beta2, step);
        auto* numbers = reinterpret_cast<simd::UpdateNumbers*>(context.scratch());
        for (size_t k = 0; k < factors_.size(); ++k) {
            simd::UpdateNumbers& mine = *std::construct_at(numbers + k, common);
            mine.lr *= step > starts_[k] ? factors_[k] : 0;
            (rule_.decay == simd::Decay::Weights ? mine.decay : mine.penalty) = decays_[k];
        }
        return {numbers, factors_.size()};
    }

    simd::UpdatedTensor part(const RunContext& context, const Chunk& chunk) const {
        const auto at = [&](size_t input) {
            return context.sequence<float>(input, chunk.element) + chunk.begin;
        };
        return {at(2), at(3), at(4), moments_ > 1 ? at(5) : nullptr};
    }

    template <typename Use>
    void forChunks(const RunContext& context, const Use& use) const {
        context.pool().forEach(static_cast<int64_t>(chunks_.size()),
                               [&](int64_t i) { use(i, chunks_[static_cast<size_t>(i)]); });
    }

    /// By the ratio of the norms. These are added up chunk by chunk in their order, regardless of
    /// the threads.
    void scaleRates(const RunContext& context, std::span<simd::UpdateNumbers> numbers) const {
        auto* sums = reinterpret_cast<simd::NormSums*>(numbers.data() + numbers.size());
        forChunks(context, [&](int64_t i, const Chunk& chunk) {
            std::construct_at(
                sums + i, rule_.prepare(part(context, chunk), chunk.count, numbers[chunk.element]));
        });
        for (size_t begin = 0; begin < chunks_.size();) {
            const size_t element = chunks_[begin].element;
            simd::NormSums total;
            for (; begin < chunks_.size() && chunks_[begin].element == element; ++begin) {
                total.weights += sums[begin].weights;
                total.changes += sums[begin].changes;
            }
            if (total.weights <= 0 || total.changes <= 0) continue;  // the ratio is 1
            numbers[element].lr *= static_cast<float>(std::sqrt(total.weights / total.changes));
        }
    }

    const Rule& rule_;
    const size_t moments_;
    std::vector<Chunk> chunks_;
    simd::UpdateNumbers numbers_;
    float rateDecay_ = 0;
    std::vector<float> factors_;
    std::vector<float> decays_;
    std::vector<int64_t> starts_;
};

}  // namespace

std::optional<OptimizerRule> optimizerRule(std::string_view name) {
    const Rule* rule = findRule(name);
    if (rule == nullptr) return {};
    return OptimizerRule{keptMoments(*rule), rule->decay == simd::Decay::Gradient,
                         rule->prepare != nullptr};
}

void registerOptimizerStepKernels(KernelRegistry& kernels) {
    kernels.add(kTemperDomain, "OptimizerStep",
                [](const PrepareContext& context) -> std::unique_ptr<Kernel> {
                    return std::make_unique<OptimizerStepKernel>(context);
                });
}

}  // namespace temper
