// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QString>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "engine/core/file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// The files that ONNX Runtime's own tests of its training API use, and their feeds.
struct OrtApiFixture {
    static std::filesystem::path api() { return conformanceFolder() / "ort/training_api"; }

    static ArtifactPaths paths(const std::string& checkpoint = "checkpoint.ckpt") {
        return {api() / "training_model.onnx", api() / "eval_model.onnx", api() / "adamw.onnx",
                api() / checkpoint};
    }
    static ArtifactPaths ortPaths() {
        const std::filesystem::path folder = api() / "ort_format";
        return {folder / "training_model.ort", folder / "eval_model.ort",
                folder / "optimizer_model.ort", folder / "checkpoint"};
    }

    static std::shared_ptr<CheckpointState> state(const std::string& name = "checkpoint.ckpt") {
        return std::make_shared<CheckpointState>(CheckpointState::load(api() / name));
    }
    /// Over its own state.
    static std::unique_ptr<TrainingSession> session(
        const ArtifactPaths& files = paths(), std::shared_ptr<CheckpointState> over = nullptr) {
        Artifacts artifacts = loadArtifacts(files, *allOps());
        if (!over) over = std::make_shared<CheckpointState>(artifacts.checkpoint);
        return std::make_unique<TrainingSession>(std::move(artifacts), std::move(over), allOps());
    }

    /// Normally distributed, like those of the original tests' generator.
    static Tensor random(Shape shape, uint32_t seed = 123) {
        std::mt19937 engine(seed);
        std::normal_distribution<float> normal(0, 1);
        Tensor tensor(DType::Float32, std::move(shape));
        for (float& value : tensor.mutableValues<float>()) value = normal(engine);
        return tensor;
    }
    static std::vector<Tensor> randomFeeds(std::initializer_list<int32_t> labels,
                                           uint32_t seed = 123) {
        return {random({2, 784}, seed), Tensor::of<int32_t>({2}, labels)};
    }

    /// The numbers of "name\n[1.0, 2.0]" or "name\n1.0".
    static std::vector<float> numbersOf(const char* file) {
        QString text = QString::fromStdString(readFile(api() / file)).section('\n', 1);
        text.remove('[').remove(']');
        std::vector<float> numbers;
        for (const QString& number : text.split(',', Qt::SkipEmptyParts)) {
            numbers.push_back(number.trimmed().toFloat());
        }
        return numbers;
    }
    /// input-0.in and labels of ones, for which loss_1.out and loss_2.out were recorded.
    static std::vector<Tensor> recordedFeeds() {
        const std::vector<float> values = numbersOf("input-0.in");
        return {Tensor::of<float>({2, 784}, std::span<const float>(values)),
                Tensor::of<int32_t>({2}, {1, 1})};
    }
    static float recordedLoss(const char* file) { return numbersOf(file).front(); }
};

inline bool sameBits(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() &&
           std::equal(a.data(), a.data() + a.byteSize(), b.data());
}

/// What `f` throws; empty if it throws nothing.
template <typename F>
QString errorOf(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace temper::test
