// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace temper::ui {

/// Boxes, layers and items have numbers as Qt's models have them; containers want this.
constexpr size_t at(int index) { return static_cast<size_t>(index); }

}  // namespace temper::ui
