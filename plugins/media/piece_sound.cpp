// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/piece_sound.h"

#include <cmath>
#include <cstring>

namespace temper::ui {
namespace {

/// Values of type `T`, of which `middle` is silence and `scale` more is full scale.
template <typename T>
void convert(const QByteArray& bytes, double middle, double scale, std::vector<float>& samples) {
    for (size_t i = 0; i < samples.size(); ++i) {
        T value;
        std::memcpy(&value, bytes.constData() + i * sizeof value, sizeof value);
        samples[i] = static_cast<float>((static_cast<double>(value) - middle) / scale);
    }
}

}  // namespace

Sound soundOf(const QByteArray& bytes, const QAudioFormat& format) {
    Sound sound{double(format.sampleRate()), format.channelCount(), {}};
    if (!format.isValid()) return sound;
    const qsizetype instants = bytes.size() / format.bytesPerFrame();
    sound.samples.resize(static_cast<size_t>(instants * format.channelCount()));
    switch (format.sampleFormat()) {
        case QAudioFormat::UInt8: convert<uint8_t>(bytes, 128, 128, sound.samples); break;
        case QAudioFormat::Int16:
            convert<int16_t>(bytes, 0, std::ldexp(1.0, 15), sound.samples);
            break;
        case QAudioFormat::Int32:
            convert<int32_t>(bytes, 0, std::ldexp(1.0, 31), sound.samples);
            break;
        case QAudioFormat::Float: convert<float>(bytes, 0, 1, sound.samples); break;
        default: sound.samples.clear();
    }
    return sound;
}

}  // namespace temper::ui
