// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/best_checkpoints.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/joined.h"
#include "engine/ort/checkpoint_file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKept = "temper.kept_";  ///< followed by the metric's name

template <typename T>
bool readAll(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// The shortest text that gives the same number.
std::string textOf(float value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// The checkpoint first: without its side file it would be damaged, the side file by itself only
/// wastes space.
void removeCheckpoint(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    if (!error) fs::remove(externalDataPath(path), error);
    if (!error) return;
    throw Error(ErrorCode::Io, "'" + path.string() + "' can't be deleted: " + error.message() + ".",
                "Check that you may write to its folder.");
}

}  // namespace

std::string checkpointName(const char* kind, int64_t step) {
    char name[48];
    std::snprintf(name, sizeof name, "%s-%06lld.ckpt", kind, static_cast<long long>(step));
    return name;
}

BestCheckpoints::BestCheckpoints(CheckpointState& state, fs::path folder, const std::string& metric,
                                 bool higherIsBetter, int64_t count)
    : state_(state),
      folder_(std::move(folder)),
      property_(kKept + metric),
      higherIsBetter_(higherIsBetter),
      count_(count > 1 && !folder_.empty() ? static_cast<size_t>(count) : 0) {}

/// "120:0.25 80:0.5", best first. Entries of another form are skipped.
std::vector<BestCheckpoints::Kept> BestCheckpoints::parse(const std::string& text) {
    std::vector<Kept> result;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const size_t colon = std::min(word.find(':'), word.size());
        Kept kept;
        const std::string_view rest = std::string_view(word).substr(colon);
        if (readAll(std::string_view(word).substr(0, colon), kept.step) && !rest.empty() &&
            readAll(rest.substr(1), kept.value) && std::isfinite(kept.value))
            result.push_back(kept);
    }
    return result;
}

std::vector<BestCheckpoints::Kept> BestCheckpoints::known() const {
    return parse(state_.propertyAs<std::string>(property_).value_or(""));
}

void BestCheckpoints::setKnown(const std::vector<Kept>& kept) {
    if (kept.empty()) {
        state_.properties().erase(property_);
        return;
    }
    state_.setProperty(property_, joinedBy(" ", kept, [](const Kept& each) {
                           return std::to_string(each.step) + ":" + textOf(each.value);
                       }));
}

bool BestCheckpoints::isBetter(float value, float than) const {
    return higherIsBetter_ ? value > than : value < than;
}

fs::path BestCheckpoints::pathOf(const Kept& kept) const {
    return folder_ / checkpointName("best", kept.step);
}

/// A checkpoint lists itself among the best ones of its run.
bool BestCheckpoints::wasWrittenHere(const Kept& kept) const {
    try {
        const CheckpointFile file = readCheckpoint(pathOf(kept));
        const auto found = file.properties.find(property_);
        if (found == file.properties.end()) return false;
        const auto* text = std::get_if<std::string>(&found->second);
        return text != nullptr && std::ranges::count(parse(*text), kept) > 0;
    } catch (const Error&) {  // not written here, or incomplete
        return false;
    }
}

std::vector<fs::path> BestCheckpoints::restore() {
    if (count_ == 0) return {};
    std::vector<fs::path> gone;
    std::vector<Kept> kept = known();
    std::erase_if(kept, [&](const Kept& each) {
        const fs::path path = pathOf(each);
        std::error_code ignored;
        if (!fs::exists(path, ignored)) {
            gone.push_back(path);
            return true;
        }
        return !wasWrittenHere(each);
    });
    setKnown(kept);
    return gone;
}

size_t BestCheckpoints::missing() const { return count_ - std::min(count_, known().size()); }

bool BestCheckpoints::isAmongBest(double value) const {
    const auto rounded = static_cast<float>(value);  // the precision of a checkpoint
    if (count_ == 0 || !std::isfinite(rounded)) return false;
    std::vector<Kept> kept = known();
    const int64_t step = state_.optimizerState().step;
    std::erase_if(kept, [step](const Kept& each) { return each.step == step; });
    return kept.size() < count_ || isBetter(rounded, kept[count_ - 1].value);
}

fs::path BestCheckpoints::save(double value) {
    const std::vector<Kept> before = known();
    const Kept one{state_.optimizerState().step, static_cast<float>(value)};
    std::vector<Kept> kept = before;
    std::erase_if(kept, [&one](const Kept& each) { return each.step == one.step; });
    const auto place = std::ranges::find_if(
        kept, [&](const Kept& each) { return isBetter(one.value, each.value); });
    kept.insert(place, one);
    setKnown(kept);
    try {
        ensureFolder(folder_);
        state_.save(pathOf(one), true);
    } catch (...) {
        setKnown(before);
        throw;
    }
    return pathOf(one);
}

std::optional<fs::path> BestCheckpoints::removeSurplus() {
    std::vector<Kept> kept = known();
    if (count_ == 0 || kept.size() <= count_) return std::nullopt;
    const fs::path path = pathOf(kept.back());
    removeCheckpoint(path);
    kept.pop_back();
    setKnown(kept);
    return path;
}

void BestCheckpoints::forget(CheckpointState& state) {
    std::erase_if(state.properties(),
                  [](const auto& property) { return property.first.starts_with(kKept); });
}

}  // namespace temper
