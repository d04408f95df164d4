// SPDX-License-Identifier: Apache-2.0
#include "engine/data/left_out_files.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/lower_case.h"
#include "engine/data/data_health.h"

namespace temper {
namespace {

constexpr size_t kMaxKinds = 6;

bool isOtherPicture(std::string_view extension) {
    constexpr std::array<std::string_view, 12> kOther = {".gif",  ".tif",  ".tiff", ".heic",
                                                         ".heif", ".avif", ".jp2",  ".jxl",
                                                         ".tga",  ".ppm",  ".pgm",  ".svg"};
    return std::find(kOther.begin(), kOther.end(), extension) != kOther.end();
}

}  // namespace

void LeftOutFiles::add(const std::filesystem::path& file) {
    ++count_[lowerCase(file.extension().string())];
}

std::vector<Finding> LeftOutFiles::findings(const std::filesystem::path& folder) const {
    size_t all = 0, pictures = 0;
    for (const auto& [extension, count] : count_) {
        all += count;
        if (isOtherPicture(extension)) pictures += count;
    }
    if (all == 0) return {};
    const auto kind = [](const auto& entry) {
        const auto& [extension, count] = entry;
        return std::to_string(count) + " " + (extension.empty() ? "without extension" : extension);
    };
    const std::string list = joined(count_, kind, kMaxKinds);
    const std::string what = all == 1 ? "One file" : counted(all, "file");
    return {dataFinding(
        "D115", pictures > 0 ? Severity::Warning : Severity::Info,
        what + " in '" + folder.string() + "' " + (all == 1 ? "is" : "are") + " skipped (" + list +
            "): supported picture formats are PNG, JPEG, WebP and BMP.",
        pictures > 0 ? "Convert pictures of other formats, or move them elsewhere." : "")};
}

}  // namespace temper
