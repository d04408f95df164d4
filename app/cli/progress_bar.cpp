// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress_bar.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "engine/core/printable.h"

namespace temper::cli {
namespace {

constexpr auto kRedrawAfter = std::chrono::milliseconds(100);
constexpr int64_t kBarWidth = 28;

std::string clockText(int64_t seconds) {
    std::array<char, 48> text{};
    if (seconds >= 3600) {
        std::snprintf(text.data(), text.size(), "%lld:%02d:%02d",
                      static_cast<long long>(seconds / 3600), static_cast<int>(seconds / 60 % 60),
                      static_cast<int>(seconds % 60));
    } else {
        std::snprintf(text.data(), text.size(), "%d:%02d", static_cast<int>(seconds / 60),
                      static_cast<int>(seconds % 60));
    }
    return text.data();
}

}  // namespace

void ProgressBar::begin(int64_t total, int64_t doneBefore) {
    total_ = total;
    doneBefore_ = doneBefore;
    start_ = Clock::now();
}

std::string ProgressBar::timeLeft(int64_t done) const {
    const int64_t doneNow = done - doneBefore_;
    if (doneNow <= 0) return "--:--";
    const std::chrono::duration<double> taken = Clock::now() - start_;
    const double left =
        taken.count() * static_cast<double>(total_ - done) / static_cast<double>(doneNow);
    return clockText(static_cast<int64_t>(left));
}

void ProgressBar::update(int64_t done, const std::string& text) {
    const auto now = Clock::now();
    if (!isTerminal_ || total_ <= 0 || (isDrawn_ && now - lastDrawn_ < kRedrawAfter)) return;
    const int64_t filled = std::clamp<int64_t>(done * kBarWidth / total_, 0, kBarWidth);
    stream_ << "\r\x1b[2K" << done * 100 / total_ << " % ["
            << std::string(static_cast<size_t>(filled), '#')
            << std::string(static_cast<size_t>(kBarWidth - filled), '.') << "] " << timeLeft(done)
            << " left  " << printableLine(text) << std::flush;
    isDrawn_ = true;
    lastDrawn_ = now;
}

void ProgressBar::clear() {
    if (!isDrawn_) return;
    stream_ << "\r\x1b[2K" << std::flush;
    isDrawn_ = false;
}

}  // namespace temper::cli
