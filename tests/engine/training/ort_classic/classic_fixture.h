// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/ort_classic/training_session.h"
#include "tests/engine/training/ort_classic/classic_network.h"

namespace temper::test {

using classic::TrainingParameters;
using Names = std::vector<std::string>;
using Feeds = classic::TrainingSession::Feeds;

inline const Names kWeights{"w1", "b1", "w2", "b2"};

inline std::vector<float> numbers(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
}

inline bool sameBytes(const Tensor& a, const Tensor& b) {
    return a.byteSize() == b.byteSize() && std::equal(a.data(), a.data() + a.byteSize(), b.data());
}

inline Tensor rateFeed(float rate) { return Tensor::of<float>({1}, {rate}); }

inline std::string errorOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

/// Checks that the action throws an Error with this message.
#define QVERIFY_SAYS(action, text)                                        \
    do {                                                                  \
        const std::string found_ = errorOf([&] { action; });              \
        QVERIFY2(found_.find(text) != std::string::npos, found_.c_str()); \
    } while (false)

/// The network of make_classic_golden.py in classic sessions.
class ClassicFixture {
protected:
    static TrainingParameters parameters(const std::string& optimizer = "AdamOptimizer") {
        TrainingParameters result;
        result.lossOutputName = "loss";
        result.optimizerName = optimizer;
        result.gradientAccumulationSteps = 2;
        return result;
    }
    /// The settings of a run of make_classic_golden.py.
    static TrainingParameters parametersOf(const std::string& run);
    static float rateOf(const std::string& run) { return run == "sgd" ? 0.1F : 0.01F; }

    std::unique_ptr<classic::TrainingSession> session(const TrainingParameters& given,
                                                      Group* ranks = nullptr,
                                                      const std::string& device = "cpu") const {
        const SessionOptions options{.threads = 1, .device = device, .mayWidenBFloat16 = true};
        return std::make_unique<classic::TrainingSession>(*classicNetwork(golden_), given, allOps(),
                                                          options, ranks);
    }
    Feeds batch(int64_t i, float rate = 0.01F) const {
        return {{"x", sliceOf(golden_.at("x"), i)},
                {"target", sliceOf(golden_.at("target"), i)},
                {"Learning_Rate", rateFeed(rate)}};
    }
    void train(classic::TrainingSession& trained, int64_t begin, int64_t end) const {
        for (int64_t i = begin; i < end; ++i) trained.run({"loss"}, batch(i));
    }
    void compare(const Tensor& actual, const std::string& golden, double atol = 1e-6,
                 double rtol = 1e-5) const {
        const double worst = worstRatio(actual, golden_.at(golden), atol, rtol);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(golden.c_str()).arg(worst)));
    }

    const Arrays golden_ = classicGolden();
};

inline TrainingParameters ClassicFixture::parametersOf(const std::string& run) {
    TrainingParameters result = parameters(run == "sgd"    ? "SGDOptimizer"
                                           : run == "lamb" ? "LambOptimizer"
                                                           : "AdamOptimizer");
    result.enableGradNormClip = run == "sgd" || run == "groups" || run == "lamb" || run == "after";
    if (run == "float16") result.momentType = DType::Float16;
    if (run == "bfloat16") result.momentType = DType::BFloat16;
    for (const std::string& weight : kWeights) {
        auto& attributes = result.optimizerAttributes[weight];
        attributes["max_norm_clip"] = 0.5F;
        if (run == "lamb" || run == "after") attributes["lambda"] = 0.1F;
        if (run == "after") {
            attributes["epsilon"] = 1e-6F;
            result.optimizerIntAttributes[weight] = {{"do_bias_correction", 0},
                                                     {"weight_decay_mode", 1}};
        }
        if (run != "groups") continue;
        attributes["epsilon"] = 1e-6F;
        if (weight[0] == 'b') continue;
        attributes["lambda"] = 0.1F;
        attributes["alpha"] = 0.8F;
        attributes["beta"] = 0.99F;
    }
    return result;
}

}  // namespace temper::test
