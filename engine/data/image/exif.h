// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "engine/data/image/image.h"

namespace temper {

/// How the camera was held: 1 to 8 as in Exif's tag 0x0112; 1 (upright) if the block does not say
/// or is damaged. `block` is the content of a JPEG file's APP1 marker.
/// Source: CIPA DC-008 (Exif 2.32), 4.6.4.
int exifOrientation(std::span<const std::byte> block);

/// Whether upright() swaps width and height.
constexpr bool isTurned(int orientation) { return orientation >= 5; }

/// The picture as it was seen: rotated and mirrored according to its orientation, 1 to 8.
Image upright(Image image, int orientation);

}  // namespace temper
