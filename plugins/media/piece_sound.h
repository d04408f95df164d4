// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAudioFormat>
#include <QByteArray>

#include "engine/data/sound/sound.h"

namespace temper::ui {

/// A microphone's bytes as a sound: full scale is -1 to 1, as in decodeWav(). Bytes of an
/// incomplete instant at the end are left out. Empty if the format is unknown.
Sound soundOf(const QByteArray& bytes, const QAudioFormat& format);

}  // namespace temper::ui
