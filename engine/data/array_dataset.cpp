// SPDX-License-Identifier: Apache-2.0
#include "engine/data/array_dataset.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "engine/core/folder.h"
#include "engine/data/data_formats.h"
#include "engine/data/label_classes.h"
#include "engine/data/npy_rows.h"
#include "engine/data/npz_file.h"
#include "engine/data/npz_rows.h"

namespace temper {
namespace {

using Arrays = std::map<std::string, RowsPtr>;

const std::vector<DataOption> kArrayOptions = {
    {"target", "Array to predict; if omitted, one called y, label(s) or target(s)."},
    {"features", "Arrays to use besides the target; all if omitted."},
};

constexpr std::array<std::string_view, 5> kUsualTargets = {"y", "label", "labels", "target",
                                                           "targets"};

Arrays readArrays(const DataSpec& spec, const FileResolver& resolver) {
    std::error_code ignored;
    const std::filesystem::path path = spec.path;
    if (!std::filesystem::is_directory(path, ignored)) {
        if (spec.kind == "npz") return openNpzRows(spec.path, resolver);
        return {{path.stem().string(), openNpyRows(spec.path, resolver)}};
    }
    Arrays arrays;
    for (const auto& [name, file] : feedFiles(path)) arrays[name] = openNpyRows(file.string());
    return arrays;
}

/// Float16 as float32.
RowsPtr widened(const RowsPtr& rows) {
    return rows->dtype() == DType::Float16 ? castRows(rows, DType::Float32) : rows;
}

/// The arrays "NAME<suffix>" as NAME; empty if there are none.
Arrays withSuffix(const Arrays& arrays, std::string_view suffix) {
    Arrays result;
    for (const auto& [name, rows] : arrays) {
        if (name.ends_with(suffix)) result[name.substr(0, name.size() - suffix.size())] = rows;
    }
    return result;
}

bool isTarget(const std::string& name, const std::vector<std::string>& targets) {
    if (!targets.empty()) return std::find(targets.begin(), targets.end(), name) != targets.end();
    return std::find(kUsualTargets.begin(), kUsualTargets.end(), name) != kUsualTargets.end();
}

std::vector<std::string> chosenNames(const DataSpec& spec, const Arrays& arrays) {
    std::vector<std::string> names = spec.list("features");
    if (names.empty()) {
        for (const auto& [name, rows] : arrays) names.push_back(name);
        return names;
    }
    const std::vector<std::string> targets = spec.list("target");
    for (const auto& [name, rows] : arrays) {
        const bool isNamed = std::find(names.begin(), names.end(), name) != names.end();
        if (!isNamed && isTarget(name, targets)) names.push_back(name);
    }
    return names;
}

/// `same`: the data that these have to match, or null.
std::shared_ptr<const Dataset> toDataset(const DataSpec& spec, const Arrays& arrays,
                                         const TargetForm& model, const Dataset* same) {
    NamedRows chosen;
    const std::vector<std::string> targets = spec.list("target");
    for (const std::string& name : chosenNames(spec, arrays)) {
        const auto found = arrays.find(name);
        if (found == arrays.end()) throw badFile(spec.path, "has no array '" + name + "'");
        chosen.emplace_back(name, found->second);
    }
    for (const std::string& name : targets) {
        if (!arrays.contains(name)) throw badFile(spec.path, "has no array '" + name + "'");
    }
    if (chosen.empty()) throw badFile(spec.path, "holds no arrays");
    try {
        return datasetOfArrays(chosen, targets, model, same);
    } catch (Error& error) {
        error.addContext("data '" + spec.path + "'");
        throw;
    }
}

DataParts readArrayParts(const DataSpec& spec, const ReadContext& context) {
    const Arrays arrays = readArrays(spec, context.resolver);
    const Arrays training = withSuffix(arrays, "_train");
    const Arrays evaluation = withSuffix(arrays, "_test");
    const Dataset* same = context.sameTraining();
    DataParts parts;
    if (!training.empty() && training.size() + evaluation.size() == arrays.size()) {
        parts.training = toDataset(spec, training, context.target, same);
        if (evaluation.empty()) return parts;
        parts.evaluation = toDataset(spec, evaluation, context.target, parts.training.get());
        parts.evaluationOrigin = "the arrays called ..._test";
        return parts;
    }
    parts.training = toDataset(spec, arrays, context.target, same);
    return parts;
}

bool holdsArrays(const std::string& folder) {
    for (const auto& entry : entriesOf(folder)) {
        if (entry.path().extension() == ".npy") return true;
    }
    return false;
}

}  // namespace

std::shared_ptr<const Dataset> datasetOfArrays(const NamedRows& arrays,
                                               const std::vector<std::string>& targets,
                                               const TargetForm& model, const Dataset* same) {
    std::vector<Column> columns;
    std::vector<RowsPtr> chosen;
    for (const auto& [name, stored] : arrays) {
        Column column;
        column.name = name;
        column.isTarget = isTarget(name, targets);
        RowsPtr rows = widened(stored);
        if (column.isTarget) rows = asClassIndices(std::move(rows), column, model, same);
        chosen.push_back(std::move(rows));
        columns.push_back(std::move(column));
    }
    return std::make_shared<ArrayDataset>(std::move(columns), std::move(chosen));
}

DataFormat npzFormat() {
    return {{"npz", "Arrays (NPZ)", kArrayOptions},
            [](const std::string& path, const FileResolver&) { return path.ends_with(".npz"); },
            readArrayParts};
}

DataFormat npyFormat() {
    return {{"npy", "Folder of arrays (NPY)", kArrayOptions},
            [](const std::string& path, const FileResolver&) {
                return path.ends_with(".npy") || holdsArrays(path);
            },
            readArrayParts};
}

}  // namespace temper
