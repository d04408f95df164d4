// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/wave_view.h"

#include <QPainter>
#include <algorithm>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr int kSpans = 300;  ///< of the whole width

}  // namespace

WaveView::WaveView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("The sound over time"));
    setMinimumHeight(em(this, 3));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize WaveView::sizeHint() const { return {em(this, 16), em(this, 3)}; }

void WaveView::setSound(const Sound& sound, double seconds) {
    seconds_ = std::max(seconds, sound.seconds());
    begin_ = end_ = 0;
    spans_.clear();
    const auto perSpan = std::max<size_t>(
        1,
        static_cast<size_t>(seconds_ * sound.rate * static_cast<double>(sound.channels)) / kSpans);
    for (size_t at = 0; at < sound.samples.size(); at += perSpan) {
        const auto first = sound.samples.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = std::min(perSpan, sound.samples.size() - at);
        const auto [low, high] =
            std::minmax_element(first, first + static_cast<std::ptrdiff_t>(count));
        spans_.emplace_back(*low, *high);
    }
    secondsPerSpan_ = sound.rate > 0 ? static_cast<double>(perSpan) /
                                           (sound.rate * static_cast<double>(sound.channels))
                                     : 0;
    update();
}

void WaveView::setPart(double begin, double end) {
    begin_ = begin;
    end_ = end;
    update();
}

/// A line for each span, scaled to the highest of all: the shape matters, not the volume.
void WaveView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colors& colors = currentColors();
    painter.fillRect(rect(), colors.raised);
    float largest = 0;
    for (const auto& [low, high] : spans_) largest = std::max({largest, -low, high});
    if (spans_.empty() && seconds_ == 0) {
        painter.setPen(colors.muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("Record a sound, or drop a WAV file."));
    }
    if (largest == 0 || seconds_ == 0) return;
    const auto y = [&](double value) { return (1 - value / largest) * (height() - 1) / 2; };
    const double width = this->width() * secondsPerSpan_ / seconds_;
    for (size_t i = 0; i < spans_.size(); ++i) {
        const double second = (static_cast<double>(i) + 0.5) * secondsPerSpan_;
        const auto& [low, high] = spans_[i];
        const bool isTaken = second >= begin_ && second < end_;
        painter.fillRect(QRectF(static_cast<double>(i) * width, y(high), std::max(width, 1.0),
                                std::max(1.0, y(low) - y(high))),
                         isTaken ? colors.accent : colors.muted);
    }
}

}  // namespace temper::ui
