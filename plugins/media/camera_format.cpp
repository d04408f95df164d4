// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/camera_format.h"

#include <tuple>

namespace temper::ui {
namespace {

constexpr int kWidth = 640, kHeight = 480;
constexpr double kSmooth = 15;

int pixels(const CameraForm& form) { return form.size.width() * form.size.height(); }

/// Smaller is better.
auto rank(const CameraForm& form) {
    const bool isSmall = form.size.width() < kWidth || form.size.height() < kHeight;
    return std::tuple(form.rate < kSmooth, isSmall, isSmall ? -pixels(form) : pixels(form),
                      -form.rate);
}

}  // namespace

std::optional<size_t> chooseCameraForm(std::span<const CameraForm> offered) {
    std::optional<size_t> best;
    for (size_t i = 0; i < offered.size(); ++i)
        if (!best || rank(offered[i]) < rank(offered[*best])) best = i;
    return best;
}

}  // namespace temper::ui
