// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/loaded_data.h"

#include <chrono>
#include <numeric>

#include "engine/data/data_health.h"
#include "engine/training/lesson.h"

namespace temper::ui {
namespace {

constexpr int64_t kShownSamples = 32;
/// Samples are compared with each other for as long as nobody minds waiting.
constexpr std::chrono::seconds kComparingTime{1};

std::vector<Tensor> readFirstBatch(const Dataset& data) {
    std::vector<int64_t> samples(static_cast<size_t>(std::min(kShownSamples, data.size())));
    std::iota(samples.begin(), samples.end(), 0);
    std::vector<Tensor> batch;
    for (size_t column = 0; column < data.columns().size(); ++column)
        batch.push_back(data.batch(column, samples));
    return batch;
}

/// The source tells training and evaluation samples apart by itself.
bool hasEvaluation(const DataSpec& spec) {
    if (spec.kind == "idx") return true;
    const std::filesystem::path folder = spec.path;
    return spec.kind == "images" && (std::filesystem::is_directory(folder / "train") ||
                                     std::filesystem::is_directory(folder / "training"));
}

}  // namespace

std::shared_ptr<const LoadedData> loadData(const std::string& spec, const std::string& evalSpec,
                                           const ImageForm& form) {
    auto data = std::make_shared<LoadedData>();
    data->opened = openData(spec, evalSpec, lessonFiles(), form);
    data->findings = data->opened.findings;
    const auto deadline = std::chrono::steady_clock::now() + kComparingTime;
    const std::vector<Finding> health = checkOpenedData(
        data->opened, [deadline] { return std::chrono::steady_clock::now() > deadline; });
    data->findings.insert(data->findings.end(), health.begin(), health.end());
    data->firstBatch = readFirstBatch(*data->opened.training);
    data->description = QString::fromStdString(describeData(data->opened));
    return data;
}

std::string proposeDataSpec(const std::string& path) {
    DataSpec spec = parseDataSpec(path);
    if (!hasEvaluation(spec)) spec.options.emplace("split", "0.8");
    return formatDataSpec(spec);
}

}  // namespace temper::ui
