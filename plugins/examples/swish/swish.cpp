// SPDX-License-Identifier: Apache-2.0
// An operator with a gradient: com.example.Swish, y = x * sigmoid(beta * x).
// Source: Ramachandran, Zoph, Le, Searching for Activation Functions (2017).

#include <temper/plugin.h>

#include <cmath>

namespace {

constexpr int64_t kGrain = 16384;  // elements that are worth a thread

const TemperHost* host = nullptr;

int64_t elementCount(const TemperType& type) {
    int64_t count = 1;
    for (int32_t i = 0; i < type.rank; ++i) count *= type.dims[i];
    return count;
}

/// One input, one output, and what their elements are computed with.
struct Work {
    const void* x;
    const void* dy;  // null: forward
    void* result;
    float beta;
};

template <typename T>
void compute(void* context, int64_t begin, int64_t end) {
    const auto& work = *static_cast<const Work*>(context);
    const auto* dy = static_cast<const T*>(work.dy);
    const T beta = work.beta;
    for (int64_t i = begin; i < end; ++i) {
        const T x = static_cast<const T*>(work.x)[i];
        const T s = 1 / (1 + std::exp(-beta * x));  // sigmoid
        static_cast<T*>(work.result)[i] = dy ? dy[i] * (s + beta * x * s * (1 - s)) : x * s;
    }
}

int computeAll(const TemperType& type, Work work, TemperThreads* threads) {
    const auto function = type.dtype == TEMPER_FLOAT64 ? compute<double> : compute<float>;
    host->parallel_for(threads, elementCount(type), kGrain, function, &work);
    return 0;
}

/// Half precision arrives as float32, because takes_half_precision is not set.
bool isFloating(int32_t dtype) {
    return dtype == TEMPER_FLOAT32 || dtype == TEMPER_FLOAT64 || dtype == TEMPER_FLOAT16 ||
           dtype == TEMPER_BFLOAT16;
}

int infer(const TemperNode*, const TemperType* inputs, int32_t, TemperType* outputs, int32_t,
          TemperError* error) {
    if (inputs[0].dtype != 0 && !isFloating(inputs[0].dtype))
        return host->fail(error, "Swish is for floating point numbers.", "Put a Cast before it.");
    outputs[0] = inputs[0];
    return 0;
}

int run(const TemperNode* node, const TemperTensor* inputs, int32_t, TemperTensor* outputs, int32_t,
        TemperThreads* threads, TemperError*) {
    const float beta = host->float_attribute(node, "beta", 1);
    return computeAll(inputs[0].type, {inputs[0].data, nullptr, outputs[0].data, beta}, threads);
}

int runGradient(const TemperNode* node, const TemperTensor* inputs, int32_t, const TemperTensor*,
                const TemperTensor* outputGradients, int32_t, TemperTensor* inputGradients,
                TemperThreads* threads, TemperError*) {
    const float beta = host->float_attribute(node, "beta", 1);
    return computeAll(inputs[0].type,
                      {inputs[0].data, outputGradients[0].data, inputGradients[0].data, beta},
                      threads);
}

int load(const TemperHost* given, TemperRegistry* registry, TemperError* error) {
    host = given;
    TemperOperator swish{};
    swish.size = sizeof swish;
    swish.domain = "com.example";
    swish.name = "Swish";
    swish.min_inputs = 1;
    swish.max_inputs = 1;
    swish.outputs = 1;
    swish.infer = infer;
    swish.run = run;
    swish.run_gradient = runGradient;
    return host->add_operator(registry, &swish, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {
    TEMPER_PLUGIN_ABI, "swish", "1.0", "The activation x * sigmoid(beta * x), with its gradient.",
    load};
