// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/core/counted.h"
#include "engine/core/folder.h"
#include "engine/data/data_formats.h"
#include "engine/data/idx_file.h"
#include "engine/data/idx_rows.h"
#include "engine/data/label_classes.h"

namespace temper {
namespace {

/// [N, H, W] becomes [N, 1, H, W]: one channel.
RowsPtr withChannel(const RowsPtr& images) {
    const Shape& shape = images->shape();
    if (shape.size() != 3) return images;
    return reshaped(images, {shape[0], 1, shape[1], shape[2]});
}

void requireFitting(const IdxPair& pair, const Rows& images, const Rows& labels) {
    if (images.shape().size() < 2 || labels.shape().size() != 1) {
        const bool isLabels = labels.shape().size() != 1;
        throw badFile(isLabels ? pair.labels : pair.images,
                      "has shape " + formatShape((isLabels ? labels : images).shape()) +
                          "; expected images [N, H, W] and labels [N]");
    }
    if (images.size() == labels.size()) return;
    throw badFile(pair.labels, "has " + counted(labels.size(), "label") + " for the " +
                                   counted(images.size(), "image") + " of '" + pair.images + "'");
}

/// `same`: the data that these have to match, or null.
std::shared_ptr<const Dataset> readPair(const IdxPair& pair, const ReadContext& context,
                                        const Dataset* same) {
    const RowsPtr images = withChannel(openIdxRows(pair.images, context.resolver));
    RowsPtr labels = openIdxRows(pair.labels, context.resolver);
    requireFitting(pair, *images, *labels);
    std::vector<Column> columns(2);
    columns[0].name = "images";
    columns[0].isImage = images->shape().size() == 4 && images->dtype() == DType::UInt8;
    columns[1].name = "labels";
    columns[1].isTarget = true;
    labels = asClassIndices(std::move(labels), columns[1], context.target, same);
    return std::make_shared<ArrayDataset>(
        std::move(columns),
        std::vector<RowsPtr>{images, castRows(std::move(labels), DType::Int64)});
}

/// The images file of a part, e.g. "train", in a folder.
std::optional<std::string> imagesFile(const std::filesystem::path& folder, std::string_view part) {
    std::vector<std::string> found;
    for (const auto& entry : entriesOf(folder)) {
        const std::string name = entry.path().filename().string();
        const std::optional<IdxPair> pair = idxPairOf(name);
        if (pair && pair->images == name && name.find(part) != std::string::npos) {
            found.push_back(entry.path().string());
        }
    }
    // of "x" and "x.gz" the shorter name: no decompression
    const auto first = std::min_element(found.begin(), found.end());
    return first == found.end() ? std::nullopt : std::optional(*first);
}

DataParts readFolder(const DataSpec& spec, const ReadContext& context) {
    const std::optional<std::string> training = imagesFile(spec.path, "train");
    if (!training) {
        throw Error(ErrorCode::NotFound,
                    "Folder '" + spec.path + "' has no train-images-idx3-ubyte file.",
                    "If it has another name, specify the images file itself.");
    }
    DataParts parts;
    parts.training = readPair(*idxPairOf(*training), context, context.sameTraining());
    for (const std::string_view part : {"t10k", "test"}) {
        const std::optional<std::string> evaluation = imagesFile(spec.path, part);
        if (!evaluation) continue;
        parts.evaluation = readPair(*idxPairOf(*evaluation), context, parts.training.get());
        parts.evaluationOrigin = "the " + std::string(part) + " files";
        break;
    }
    return parts;
}

DataParts readIdxParts(const DataSpec& spec, const ReadContext& context) {
    std::error_code ignored;
    if (std::filesystem::is_directory(spec.path, ignored)) return readFolder(spec, context);
    const std::optional<IdxPair> pair = idxPairOf(spec.path);
    if (!pair) {
        throw Error(ErrorCode::InvalidInput,
                    "The label file for '" + spec.path + "' can't be derived from its name.",
                    "Rename the files to ...-images-idx3-ubyte and ...-labels-idx1-ubyte.");
    }
    DataParts parts;
    parts.training = readPair(*pair, context, context.sameTraining());
    return parts;
}

bool holdsIdxFiles(const std::string& folder) {
    for (const auto& entry : entriesOf(folder)) {
        const std::string name = entry.path().filename().string();
        for (const char* part : {"images-idx", "images.idx"}) {
            if (name.find(part) != std::string::npos) return true;
        }
    }
    return false;
}

}  // namespace

DataFormat idxFormat() {
    return {{"idx", "Images and labels (IDX, as MNIST)", {}},
            [](const std::string& path, const FileResolver&) {
                const std::string name = withoutGzip(path);
                return name.ends_with("-ubyte") || name.ends_with(".idx") || holdsIdxFiles(path);
            },
            readIdxParts};
}

}  // namespace temper
