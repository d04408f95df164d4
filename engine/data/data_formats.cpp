// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_formats.h"

#include <algorithm>
#include <utility>

namespace temper {
namespace {

constexpr int64_t kMaxClasses = 1000;
constexpr int64_t kLabelsAtATime = 1 << 20;

std::vector<DataFormat>& formats() {
    static std::vector<DataFormat> all = {
        idxFormat(),   npyFormat(), npzFormat(), imageFormat(),  // before csv: it knows its tables
        jsonlFormat(), csvFormat(), tsvFormat(),
    };
    return all;
}

}  // namespace

const std::vector<DataFormat>& dataFormats() { return formats(); }

void addDataFormat(DataFormat format) {
    const std::string& key = format.kind.key;
    if (std::ranges::any_of(formats(), [&](const auto& known) { return known.kind.key == key; }))
        throw Error(ErrorCode::InvalidInput, "There is a data format '" + key + "' already.");
    formats().push_back(std::move(format));
}

DataParts readParts(const DataSpec& spec, const ReadContext& context) {
    const auto& formats = dataFormats();
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const DataFormat& format) {
        return format.kind.key == spec.kind;
    });
    TEMPER_ASSERT(found != formats.end(), "a specification names a kind that there is");
    return found->read(spec, context);
}

std::string withoutGzip(std::string path) {
    if (path.ends_with(".gz")) path.resize(path.size() - 3);
    return path;
}

std::vector<std::string> classesOfLabels(const Rows& labels) {
    if (!isInteger(labels.dtype()) || labels.size() == 0) return {};
    if (numElements(labels.shape()) != labels.size()) return {};
    int64_t highest = -1;
    for (int64_t begin = 0; begin < labels.size(); begin += kLabelsAtATime) {
        const Tensor some = labels.range(begin, std::min(begin + kLabelsAtATime, labels.size()));
        const bool areValid = visitDType(some.dtype(), [&]<typename T>() {
            return std::ranges::all_of(some.values<T>(), [&](T value) {
                const auto label = static_cast<int64_t>(value);
                highest = std::max(highest, label);
                return label >= 0 && label < kMaxClasses;
            });
        });
        if (!areValid) return {};
    }
    std::vector<std::string> classes;
    for (int64_t i = 0; i <= highest; ++i) classes.push_back(std::to_string(i));
    return classes;
}

}  // namespace temper
