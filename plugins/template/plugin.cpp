// SPDX-License-Identifier: Apache-2.0
// Copy this folder, rename "my_plugin" and "com.example", and fill in what it adds. Here it is an
// operator, y = 2 x, with its gradient.

#include <temper/plugin.h>

namespace {

const TemperHost* host = nullptr;  // what Temper offers: attributes, errors, threads

/// y = 2 x for all elements.
int twice(const TemperTensor& x, const TemperTensor& y) {
    int64_t count = 1;
    for (int32_t i = 0; i < x.type.rank; ++i) count *= x.type.dims[i];
    const auto* from = static_cast<const float*>(x.data);
    auto* to = static_cast<float*>(y.data);
    for (int64_t i = 0; i < count; ++i) to[i] = 2 * from[i];
    return 0;
}

int infer(const TemperNode*, const TemperType* inputs, int32_t, TemperType* outputs, int32_t,
          TemperError* error) {
    if (inputs[0].dtype != 0 && inputs[0].dtype != TEMPER_FLOAT32)
        return host->fail(error, "Twice is for float32 only.", "Put a Cast before it.");
    outputs[0] = inputs[0];  // the type of the output, as far as that of the input is known
    return 0;
}

int run(const TemperNode*, const TemperTensor* inputs, int32_t, TemperTensor* outputs, int32_t,
        TemperThreads*, TemperError*) {
    return twice(inputs[0], outputs[0]);
}

int runGradient(const TemperNode*, const TemperTensor*, int32_t, const TemperTensor*,
                const TemperTensor* outputGradients, int32_t, TemperTensor* inputGradients,
                TemperThreads*, TemperError*) {
    return twice(outputGradients[0], inputGradients[0]);
}

int load(const TemperHost* given, TemperRegistry* registry, TemperError* error) {
    host = given;
    TemperOperator op{};
    op.size = sizeof op;
    op.domain = "com.example";
    op.name = "Twice";
    op.min_inputs = 1;
    op.max_inputs = 1;
    op.outputs = 1;
    op.infer = infer;
    op.run = run;
    op.run_gradient = runGradient;
    return host->add_operator(registry, &op, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "my_plugin", "0.1",
                                               "What it is for, in a sentence.", load};
