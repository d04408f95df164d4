// SPDX-License-Identifier: Apache-2.0
// A loss, a metric and a schedule: scale * mean((prediction - target)^2), the largest error, and a
// rate that falls linearly from the first step to the last and is `rest` from then on.
#include <temper/plugin.h>

#include <algorithm>
#include <cmath>

namespace {

const TemperHost* host = nullptr;

int64_t elementCount(const TemperType& type) {
    int64_t count = 1;
    for (int32_t i = 0; i < type.rank; ++i) count *= type.dims[i];
    return count;
}

const float* numbers(const TemperTensor& tensor) { return static_cast<const float*>(tensor.data); }

int infer(const TemperNode*, const TemperType* inputs, int32_t, TemperType* outputs, int32_t,
          TemperError*) {
    outputs[0] = {inputs[0].dtype, 0, {}};
    return 0;
}

int run(const TemperNode* node, const TemperTensor* inputs, int32_t, TemperTensor* outputs, int32_t,
        TemperThreads*, TemperError*) {
    const int64_t count = elementCount(inputs[0].type);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += std::pow(numbers(inputs[0])[i] - numbers(inputs[1])[i], 2);
    const double scale = host->float_attribute(node, "scale", 1);
    *static_cast<float*>(outputs[0].data) =
        static_cast<float>(scale * sum / static_cast<double>(count));
    return 0;
}

int runGradient(const TemperNode* node, const TemperTensor* inputs, int32_t,
                const TemperTensor* outputs, const TemperTensor* outputGradients, int32_t,
                TemperTensor* inputGradients, TemperThreads*, TemperError* error) {
    if (outputs[0].data == nullptr || inputGradients[1].data != nullptr)
        return host->fail(error, "The result is missing, or the target has a gradient.", nullptr);
    const int64_t count = elementCount(inputs[0].type);
    const float factor = 2 * host->float_attribute(node, "scale", 1) *
                         *numbers(outputGradients[0]) / static_cast<float>(count);
    for (int64_t i = 0; i < count; ++i) {
        static_cast<float*>(inputGradients[0].data)[i] =
            factor * (numbers(inputs[0])[i] - numbers(inputs[1])[i]);
    }
    return 0;
}

int addLoss(TemperRegistry* registry, TemperError* error) {
    TemperOperator op{};
    op.size = sizeof op;
    op.domain = "com.test";
    op.name = "ScaledSquare";
    op.min_inputs = 2;
    op.max_inputs = 2;
    op.outputs = 1;
    op.infer = infer;
    op.run = run;
    op.run_gradient = runGradient;
    op.gradient_reads_outputs = 1;
    op.inputs_without_gradient = 1U << 1;
    static const TemperHyperParameter kScale = {"scale", "Scale", "A factor.", 1, 0, 1000};
    TemperLoss loss{};
    loss.size = sizeof loss;
    loss.key = "scaled-square";
    loss.label = "Scaled square";
    loss.help = "The mean square of the errors, times a factor.";
    loss.domain = op.domain;
    loss.op_type = op.name;
    loss.hyper_parameters = &kScale;
    loss.hyper_parameter_count = 1;
    const int failed = host->add_operator(registry, &op, error);
    return failed != 0 ? failed : host->add_loss(registry, &loss, error);
}

int addErrors(void* metric, const TemperTensor* prediction, const TemperTensor* target,
              TemperError*) {
    auto& worst = *static_cast<double*>(metric);
    for (int64_t i = 0; i < elementCount(prediction->type); ++i) {
        worst = std::max<double>(worst, std::abs(numbers(*prediction)[i] - numbers(*target)[i]));
    }
    return 0;
}

int addMetric(TemperRegistry* registry, TemperError* error) {
    TemperMetric metric{};
    metric.size = sizeof metric;
    metric.key = "worst-error";
    metric.label = "Worst error";
    metric.help = "The largest error of all.";
    metric.losses = "mse scaled-square";
    metric.create = []() -> void* { return new double(0); };
    metric.add = addErrors;
    metric.value = [](void* worst) { return *static_cast<double*>(worst); };
    metric.destroy = [](void* worst) { delete static_cast<double*>(worst); };
    return host->add_metric(registry, &metric, error);
}

double rate(int64_t done, int64_t total, double initial, const double* values) {
    return done < total ? initial * (1 - static_cast<double>(done) / static_cast<double>(total))
                        : values[0];
}

int addSchedule(TemperRegistry* registry, TemperError* error) {
    static const TemperHyperParameter kRest = {"rest", "Rest", "Past the end.", 0.5, 0, 1};
    TemperSchedule schedule{};
    schedule.size = sizeof schedule;
    schedule.key = "ramp";
    schedule.label = "Ramp";
    schedule.help = "Falls in a line.";
    schedule.hyper_parameters = &kRest;
    schedule.hyper_parameter_count = 1;
    schedule.rate = rate;
    return host->add_schedule(registry, &schedule, error);
}

int load(const TemperHost* given, TemperRegistry* registry, TemperError* error) {
    host = given;
    if (addLoss(registry, error) != 0 || addMetric(registry, error) != 0) return 1;
    return addSchedule(registry, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "training", "1",
                                               "Everything but a format.", load};
