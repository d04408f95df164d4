// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_formats.h"

#include <algorithm>
#include <utility>

namespace temper {
namespace {

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
        throw Error(ErrorCode::InvalidInput, "Data format '" + key + "' already exists.");
    formats().push_back(std::move(format));
}

DataParts readParts(const DataSpec& spec, const ReadContext& context) {
    const auto& formats = dataFormats();
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const DataFormat& format) {
        return format.kind.key == spec.kind;
    });
    TEMPER_ASSERT(found != formats.end(), "a specification names a registered kind");
    return found->read(spec, context);
}

std::string withoutGzip(std::string path) {
    if (path.ends_with(".gz")) path.resize(path.size() - 3);
    return path;
}

}  // namespace temper
