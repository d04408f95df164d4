// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/step_line.h"

#include <charconv>

#include "engine/runs/run_event_fields.h"

namespace temper {
namespace {

/// A visitor of fields that reads keys and numbers from left to right; after something unexpected,
/// it reads nothing more.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    template <typename T>
    void operator()(std::string_view key, T& value) {
        if (!take(",\"") || !take(key) || !take("\":")) return;
        const size_t first = text_.starts_with('-') ? 1 : 0;
        // from_chars() also takes "inf" and "nan", which JSON does not have.
        isGood_ = first < text_.size() && text_[first] >= '0' && text_[first] <= '9';
        if (!isGood_) return;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        isGood_ = error == std::errc();
        text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    }
    template <typename T>
    void optional(std::string_view key, T& value) {
        if (!text_.starts_with('}')) (*this)(key, value);
    }

    bool take(std::string_view expected) {
        isGood_ = isGood_ && text_.starts_with(expected);
        if (isGood_) text_.remove_prefix(expected.size());
        return isGood_;
    }

    bool isAtEnd() const { return isGood_ && text_.empty(); }

private:
    std::string_view text_;
    bool isGood_ = true;
};

}  // namespace

std::optional<RunEvent> stepFromPlainLine(std::string_view line) {
    double time = 0;
    StepEvent step;
    Scanner scanner(line);
    scanner.take(R"({"event":"step")");
    scanner("time", time);
    visitFields(step, scanner);
    scanner.take("}");
    if (!scanner.isAtEnd()) return std::nullopt;
    return RunEvent{time, step};
}

}  // namespace temper
