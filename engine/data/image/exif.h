// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "engine/data/image/image.h"

namespace temper {

/// How a camera was held: 1 to 8 as in Exif's tag 0x0112; 1, as it is, where the block does not say
/// or is damaged. `block` is the content of a JPEG file's marker APP1.
/// Source: CIPA DC-008 (Exif 2.32), 4.6.4.
int exifOrientation(std::span<const std::byte> block);

/// Whether width and height are exchanged by upright().
constexpr bool isTurned(int orientation) { return orientation >= 5; }

/// The picture as it was seen: turned and mirrored as its orientation, 1 to 8, says.
Image upright(Image image, int orientation);

}  // namespace temper
