// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <cstddef>
#include <optional>
#include <span>

namespace temper::ui {

/// What a camera offers.
struct CameraForm {
    QSize size;
    double rate = 0;  ///< Units: pictures per second
};

/// The smallest of at least 640 x 480 pixels that moves smoothly: more than models look at, and
/// converted in a few milliseconds. If there is none, the largest. Returns: its index; nullopt if
/// nothing is offered.
std::optional<size_t> chooseCameraForm(std::span<const CameraForm> offered);

}  // namespace temper::ui
