// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/session/training_session.h"

namespace temper::test {

/// tests/data/conformance.
std::filesystem::path conformanceFolder();

QJsonObject readJson(const std::filesystem::path& path);

/// All operators, made once per test program.
std::shared_ptr<const OpSet> allOps();

using Arrays = std::map<std::string, Tensor>;

/// Feeds for the inputs of a model at a step: arrays with one dimension more than the input hold a
/// leading step dimension, others serve all steps. Element types are converted.
std::vector<Tensor> feedsOf(TrainingSession& session, const Arrays& arrays, int64_t step,
                            bool training = true);

/// All forward models that PyTorch exported.
inline constexpr std::array kTorchModels = {"mlp",         "lenet",       "resnet", "mobilenet",
                                            "transformer", "activations", "unet",   "autoencoder",
                                            "lstm",        "gru"};

/// A forward model exported by PyTorch with its golden values.
struct TorchFixture {
    explicit TorchFixture(const std::string& name);

    /// An optimizer of meta.json as our choice.
    static Selection optimizer(const std::string& name);
    static float learningRate(const std::string& optimizer);
    /// The settings with which the fixture was trained, from meta.json.
    ArtifactSpec spec(const std::string& optimizer) const;
    /// 1e-5 + 1e-4 |golden| + 20 noise, as the fixtures' README says.
    static double tolerance(double expected, double noise) {
        return 1e-5 + 1e-4 * std::abs(expected) + 20 * noise;
    }
    /// meta.json's noise under these keys; 0 if there is none.
    double noise(const QStringList& keys) const;

    std::string name;
    std::filesystem::path folder;
    std::unique_ptr<Graph> model;
    Arrays data;
    Arrays golden;
    QJsonObject meta;
};

/// The largest |a - b| / (atol + rtol |b|) of two float32 tensors of the same shape; infinite if
/// they differ in shape or one has a NaN that the other lacks.
double worstRatio(const Tensor& actual, const Tensor& expected, double atol, double rtol);

}  // namespace temper::test
