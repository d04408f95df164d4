// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/core/closest_word.h"
#include "engine/core/joined.h"
#include "engine/data/csv_table.h"
#include "engine/data/data_formats.h"

namespace temper {
namespace {

constexpr std::array<std::string_view, 1> kPlannedKinds = {"text"};

const std::vector<DataOption> kCommonOptions = {
    {"split", "Share of the samples to train on, e.g. 0.8; the rest is for evaluation."},
    {"seed", "Seed of the split; 0 if omitted."},
    {"test", "File with the samples for evaluation."},
    {"limit", "Uses at most this many samples of each part."},
    {"stratify", "yes or no: whether the split keeps the shares of the classes; yes."},
    {"duplicates", "keep or drop: samples that occur twice, or in both parts."},
    {"invalid",
     "error or drop: samples that can't be read, hold NaN or infinity, or a label that is not a "
     "class."},
    {"normalize", "none, unit (bytes to 0..1) or standard (mean 0, deviation 1)."},
    {"mean", "Means to subtract, one or one per channel or table column; bytes count as 0..1."},
    {"std", "Deviations to divide by, in the form of mean."},
    {"classes", "Names of the classes, by index."},
    {"flip", "Augmentation: horizontal, vertical or both; half of the pictures are mirrored."},
    {"crop", "Augmentation: pictures are shifted by up to this many pixels; the rest is black."},
    {"rotate", "Augmentation: pictures are rotated by up to this many degrees."},
    {"noise", "Augmentation: deviation of noise; of 0..1, or of a table column's deviation."},
    {"brightness", "Augmentation: brightness changes by up to this share."},
    {"contrast", "Augmentation: contrast changes by up to this share."},
    {"saturation", "Augmentation: colours grow paler or stronger by up to this share."},
};

std::vector<DataKind> kindsOfFormats() {
    std::vector<DataKind> kinds;
    for (const DataFormat& format : dataFormats()) {
        kinds.push_back(format.kind);
        std::vector<DataOption>& options = kinds.back().options;
        options.insert(options.end(), kCommonOptions.begin(), kCommonOptions.end());
    }
    return kinds;
}

std::string kindList() { return joined(dataKinds(), &DataKind::key); }

const DataKind* findKind(std::string_view key) {
    const auto& kinds = dataKinds();
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](auto& kind) { return kind.key == key; });
    return found == kinds.end() ? nullptr : &*found;
}

bool isWord(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string guessKind(const std::string& path, const FileResolver& resolver) {
    for (const DataFormat& format : dataFormats()) {
        if (format.recognises(path, resolver)) return format.kind.key;
    }
    throw Error(
        ErrorCode::InvalidInput, "Unknown file type: '" + path + "'.",
        "Choose one of " + kindList() + ": write it before the path, as in csv:" + path + ".");
}

/// Removes "kind:" from the text; empty if there is none.
std::string takeKind(std::string_view& text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string word(text.substr(0, colon));
    if (std::find(kPlannedKinds.begin(), kPlannedKinds.end(), word) != kPlannedKinds.end()) {
        throw Error(
            ErrorCode::Unsupported,
            "Data kind '" + word + "' is not supported: Temper has no tokenizer.",
            "Tokenize the texts first and write the token ids as lists, e.g. jsonl:FILE with lines "
            "like {\"input_ids\": [101, 7592, 102], \"label\": 1}. The kinds are " +
                kindList() + ".");
    }
    if (findKind(word) == nullptr) return {};
    text.remove_prefix(colon + 1);
    return word;
}

/// Rejects a word before a colon that names neither a kind nor a file.
void refuseUnknownKind(const std::string& path, const FileResolver& resolver) {
    const size_t colon = path.find(':');
    if (colon == std::string::npos || !isWord(std::string_view(path).substr(0, colon))) return;
    std::error_code ignored;
    if (dataFileExists(path, resolver) || std::filesystem::exists(path, ignored)) return;
    const std::string word = path.substr(0, colon);
    std::vector<std::string> kinds;
    for (const DataKind& kind : dataKinds()) kinds.push_back(kind.key);
    throw Error(ErrorCode::NotFound,
                "File '" + path + "' does not exist, and no data kind is called '" + word + "'.",
                didYouMean(word, kinds) + "The kinds are " + kindList() + ".");
}

std::string decoded(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* begin = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(begin, begin + 2, code, 16).ptr == begin + 2) {
            result += static_cast<char>(code);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string encoded(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '&') {
            result += "%26";
        } else if (c == '%') {
            result += "%25";
        } else {
            result += c;
        }
    }
    return result;
}

std::map<std::string, std::string> parseOptions(std::string_view text) {
    std::map<std::string, std::string> options;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        if (part.empty()) continue;
        const size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            throw Error(ErrorCode::InvalidInput,
                        "The data option '" + std::string(part) + "' has no " +
                            (equals == 0 ? "name." : "value."),
                        "Options follow the path: csv:iris.csv?target=species&split=0.8.");
        }
        const std::string key(part.substr(0, equals));
        if (!options.emplace(key, decoded(part.substr(equals + 1))).second) {
            throw Error(ErrorCode::InvalidInput, "The data option '" + key + "' is given twice.");
        }
    }
    return options;
}

void checkOptions(const DataSpec& spec) {
    const std::vector<DataOption>& known = findKind(spec.kind)->options;
    for (const auto& [key, value] : spec.options) {
        const std::string& wanted = key;
        if (std::any_of(known.begin(), known.end(),
                        [&](const DataOption& option) { return option.key == wanted; })) {
            continue;
        }
        std::vector<std::string> keys;
        for (const DataOption& option : known) keys.push_back(option.key);
        throw Error(ErrorCode::InvalidInput,
                    "Data kind " + spec.kind + " has no option '" + key + "'.",
                    didYouMean(key, keys) + "Its options are " + joined(keys) + ".");
    }
}

Error badOption(const std::string& key, const std::string& value, const std::string& expected) {
    return {ErrorCode::InvalidInput,
            "The data option '" + key + "' is '" + value + "'; expected " + expected + "."};
}

}  // namespace

std::vector<std::string> DataSpec::list(const std::string& key) const {
    const auto found = options.find(key);
    if (found == options.end() || found->second.empty()) return {};
    std::vector<std::string> values(1);
    for (const char c : found->second) {
        if (c == ',') {
            values.emplace_back();
        } else {
            values.back() += c;
        }
    }
    return values;
}

std::optional<double> DataSpec::number(const std::string& key) const {
    const auto found = options.find(key);
    if (found == options.end()) return std::nullopt;
    const std::optional<double> value = parseNumber(found->second);
    if (!value || !std::isfinite(*value)) throw badOption(key, found->second, "a number");
    return value;
}

std::optional<int64_t> DataSpec::integer(const std::string& key, int64_t minimum) const {
    const auto found = options.find(key);
    if (found == options.end()) return std::nullopt;
    const std::string& text = found->second;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < minimum) {
        throw badOption(key, text, "a whole number of at least " + std::to_string(minimum));
    }
    return value;
}

std::string DataSpec::choice(const std::string& key,
                             const std::vector<std::string>& choices) const {
    const auto found = options.find(key);
    if (found == options.end()) return choices.front();
    if (std::find(choices.begin(), choices.end(), found->second) == choices.end()) {
        const Error error = badOption(key, found->second, "one of " + joined(choices));
        throw Error(error.code(), error.message(), didYouMean(found->second, choices));
    }
    return found->second;
}

const std::vector<DataKind>& dataKinds() {
    static const std::vector<DataKind> kKinds = kindsOfFormats();
    return kKinds;
}

DataSpec parseDataSpec(std::string_view text, const FileResolver& resolver) {
    DataSpec spec;
    spec.kind = takeKind(text);
    const size_t question = text.find('?');
    spec.path = std::string(text.substr(0, question));
    if (question != std::string_view::npos) {
        spec.options = parseOptions(text.substr(question + 1));
    }
    if (spec.path.empty()) {
        throw Error(ErrorCode::InvalidInput, "The data specification has no file.",
                    "Write kind:path?key=value&..., e.g. csv:iris.csv?target=species.");
    }
    if (spec.kind.empty()) {
        refuseUnknownKind(spec.path, resolver);
        spec.kind = guessKind(spec.path, resolver);
    }
    checkOptions(spec);
    return spec;
}

std::string pathIn(std::string_view specification) {
    takeKind(specification);
    return std::string(specification.substr(0, specification.find('?')));
}

/// "keep" is the former name of "error".
bool dropsInvalid(const DataSpec& spec) {
    return spec.choice("invalid", {"error", "drop", "keep"}) == "drop";
}

std::string formatDataSpec(const DataSpec& spec) {
    const std::string source = spec.kind + ":" + spec.path;
    if (spec.options.empty()) return source;
    return source + "?" + joinedBy("&", spec.options, [](const auto& option) {
               return option.first + "=" + encoded(option.second);
           });
}

}  // namespace temper
