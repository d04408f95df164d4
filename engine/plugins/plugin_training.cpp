// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_training.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_types.h"

namespace temper {
namespace {

[[noreturn]] void refuse(const std::string& what, const char* key, const std::string& why) {
    throw Error(ErrorCode::InvalidInput, "Its " + what + " '" + textOf(key) + "' " + why);
}

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

/// A lower-case letter, then lower-case letters, digits and `joint`: keys are words of command
/// lines and formulas.
bool isWord(const std::string& text, char joint) {
    return !text.empty() && isLetter(text[0]) && std::ranges::all_of(text, [joint](char c) {
        return isLetter(c) || (c >= '0' && c <= '9') || c == joint;
    });
}

void requireKey(const std::string& what, const char* key) {
    if (!isWord(textOf(key), '-'))
        refuse(what, key, "has a key that is not made of a-z, 0-9 and '-'.");
}

void requireNumbers(const std::string& what, const char* key, const TemperHyperParameter* numbers,
                    int32_t count) {
    if (count < 0 || (count > 0 && numbers == nullptr)) refuse(what, key, "lacks its numbers.");
    for (int32_t i = 0; i < count; ++i) {
        const TemperHyperParameter& number = numbers[i];
        if (!isWord(textOf(number.key), '_'))
            refuse(what, key, "has a number whose key is not made of a-z, 0-9 and '_'.");
        const bool isInRange =
            number.minimum <= number.default_value && number.default_value <= number.maximum;
        if (!isInRange)
            refuse(what, key, "has a default outside the range of '" + textOf(number.key) + "'.");
    }
}

Choice choiceOf(const char* key, const char* label, const char* help,
                const TemperHyperParameter* numbers, int32_t count) {
    Choice choice{textOf(key), textOf(label), textOf(help), {}};
    if (choice.label.empty()) choice.label = choice.key;
    for (int32_t i = 0; i < count; ++i) {
        const TemperHyperParameter& n = numbers[i];
        choice.hyperParameters.push_back({textOf(n.key), textOf(n.label), "", n.default_value,
                                          n.minimum, n.maximum, textOf(n.help)});
    }
    return choice;
}

TemperTensor viewOf(const Tensor& tensor) {
    return {const_cast<std::byte*>(tensor.data()), pluginType(tensor.dtype(), tensor.shape())};
}

class PluginMetric final : public Metric {
public:
    explicit PluginMetric(const TemperMetric& table) : table_(table), metric_(table.create()) {}
    ~PluginMetric() override { table_.destroy(metric_); }
    PluginMetric(const PluginMetric&) = delete;
    PluginMetric& operator=(const PluginMetric&) = delete;

    void add(const Tensor& prediction, const Tensor& target) override {
        const TemperTensor first = viewOf(prediction);
        const TemperTensor second = viewOf(target);
        callPlugin("Metric '" + textOf(table_.key) + "' of a plugin",
                   [&](TemperError* error) { return table_.add(metric_, &first, &second, error); });
    }
    double value() const override { return table_.value(metric_); }

private:
    TemperMetric table_;
    void* metric_;
};

Value* buildLoss(const TemperLoss& loss, BlockModel& model, const LossArguments& arguments) {
    if (arguments.reduction != blocks::Reduction::Mean) {
        throw Error(ErrorCode::Unsupported,
                    "The loss '" + textOf(loss.key) + "' of a plugin has one reduction only.",
                    "Omit reduction=...");
    }
    Attributes attributes;
    for (int32_t i = 0; i < loss.hyper_parameter_count; ++i) {
        const char* key = loss.hyper_parameters[i].key;
        attributes[key] = static_cast<float>(arguments.number(key));
    }
    Value* prediction = arguments.predictions[0];
    Value* target =
        blocks::resolve(model, arguments.target, targetType(*arguments.loss, prediction->type()));
    return model.op(loss.op_type, {prediction, target}, std::move(attributes), loss.domain);
}

}  // namespace

void requireValid(const TemperMetric& metric) {
    requireKey("metric", metric.key);
    if (!metric.create || !metric.add || !metric.value || !metric.destroy)
        refuse("metric", metric.key, "lacks a function.");
}

void requireValid(const TemperLoss& loss) {
    requireKey("loss", loss.key);
    requireNumbers("loss", loss.key, loss.hyper_parameters, loss.hyper_parameter_count);
}

void requireValid(const TemperSchedule& schedule) {
    requireKey("schedule", schedule.key);
    requireNumbers("schedule", schedule.key, schedule.hyper_parameters,
                   schedule.hyper_parameter_count);
    if (schedule.rate == nullptr) refuse("schedule", schedule.key, "lacks its function.");
}

void requireValid(const TemperPanel& panel) {
    requireKey("panel", panel.key);
    if (panel.create == nullptr || textOf(panel.title).empty())
        refuse("panel", panel.key, "lacks its title or a function.");
}

MetricInfo pluginMetricInfo(const TemperMetric& metric) {
    const std::string label = textOf(metric.label);
    MetricInfo info{textOf(metric.key),
                    label.empty() ? textOf(metric.key) : label,
                    textOf(metric.help),
                    metric.higher_is_better != 0,
                    {}};
    std::istringstream losses(textOf(metric.losses));
    for (std::string loss; losses >> loss;) info.losses.push_back(loss);
    return info;
}

std::unique_ptr<Metric> makePluginMetric(const TemperMetric& metric) {
    return std::make_unique<PluginMetric>(metric);
}

LossFunction pluginLoss(const TemperLoss& loss) {
    LossFunction function;
    function.choice = choiceOf(loss.key, loss.label, loss.help, loss.hyper_parameters,
                               loss.hyper_parameter_count);
    function.readsClasses = loss.reads_classes != 0;
    function.target = function.readsClasses ? "labels" : "target";
    function.build = [loss](BlockModel& model, const LossArguments& arguments) {
        return buildLoss(loss, model, arguments);
    };
    return function;
}

Choice pluginScheduleChoice(const TemperSchedule& schedule) {
    return choiceOf(schedule.key, schedule.label, schedule.help, schedule.hyper_parameters,
                    schedule.hyper_parameter_count);
}

LrCurve pluginCurve(const TemperSchedule& schedule) {
    return [schedule](int64_t step, int64_t total, double initial, const Selection& selection) {
        std::vector<double> values;
        for (int32_t i = 0; i < schedule.hyper_parameter_count; ++i)
            values.push_back(selection.value(scheduleChoices(), schedule.hyper_parameters[i].key));
        return schedule.rate(step, total, initial, values.data());
    };
}

}  // namespace temper
