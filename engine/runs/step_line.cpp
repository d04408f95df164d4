// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/step_line.h"

#include <charconv>

namespace temper {
namespace {

/// Reads keys and numbers from left to right; once one is not as expected, nothing is read.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    template <typename T>
    Scanner& field(std::string_view key, T& value) {
        if (!take(key)) return *this;
        const size_t first = text_.starts_with('-') ? 1 : 0;
        // from_chars() also takes "inf" and "nan", which JSON does not have.
        isGood_ = first < text_.size() && text_[first] >= '0' && text_[first] <= '9';
        if (!isGood_) return *this;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        isGood_ = error == std::errc();
        text_.remove_prefix(static_cast<size_t>(end - text_.data()));
        return *this;
    }

    bool take(std::string_view expected) {
        isGood_ = isGood_ && text_.starts_with(expected);
        if (isGood_) text_.remove_prefix(expected.size());
        return isGood_;
    }

    bool isAtEnd() const { return isGood_ && text_.empty(); }
    bool isNextBrace() const { return text_.starts_with('}'); }

private:
    std::string_view text_;
    bool isGood_ = true;
};

}  // namespace

std::optional<RunEvent> stepFromPlainLine(std::string_view line) {
    double time = 0;
    StepEvent step;
    Scanner scanner(line);
    scanner.field(R"({"event":"step","time":)", time)
        .field(R"(,"step":)", step.step)
        .field(R"(,"epoch":)", step.epoch)
        .field(R"(,"loss":)", step.loss)
        .field(R"(,"learning_rate":)", step.learningRate)
        .field(R"(,"grad_norm":)", step.gradientNorm)
        .field(R"(,"samples":)", step.samples)
        .field(R"(,"step_seconds":)", step.stepSeconds)
        .field(R"(,"data_wait_seconds":)", step.dataWaitSeconds);
    if (!scanner.isNextBrace()) scanner.field(R"(,"arena_bytes":)", step.arenaBytes);
    scanner.take("}");
    if (!scanner.isAtEnd()) return std::nullopt;
    return RunEvent{time, step};
}

}  // namespace temper
