// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/step_packing.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/core/error.h"

namespace temper {
namespace {

// First two bytes, the low byte first: a bit for each field that is as expected. The other fields
// follow. Integers: the difference from the expected value, its sign in the lowest bit, seven bits
// per byte. Numbers: the bits that differ from the expected ones: a byte that counts the zero bytes
// before (upper half) and after them (lower half), then the other bytes, highest first. Seconds:
// whole nanoseconds, which clocks count, as an integer, then the difference from them as a number.

constexpr double kTicksPerSecond = 1e9;
constexpr double kMaxSeconds = 9e9;  // whose ticks an int64 holds
constexpr int kBytes = 8;

uint64_t differenceOf(int64_t value, int64_t expected) {
    return static_cast<uint64_t>(value) - static_cast<uint64_t>(expected);
}

int64_t ticksOf(double seconds) {
    const bool fits = std::abs(seconds) < kMaxSeconds;
    return fits ? std::llround(seconds * kTicksPerSecond) : 0;
}

double secondsOf(int64_t ticks) { return static_cast<double>(ticks) / kTicksPerSecond; }

class Packer {
public:
    void integer(int64_t value, int64_t expected) {
        if (isAsExpected(value == expected)) return;
        const auto difference = static_cast<int64_t>(differenceOf(value, expected));
        uint64_t rest =
            (static_cast<uint64_t>(difference) << 1) ^ static_cast<uint64_t>(difference >> 63);
        for (; rest >= 0x80; rest >>= 7) byte((rest & 0x7f) | 0x80);
        byte(rest);
    }

    void number(double value, double expected) {
        const uint64_t bits = std::bit_cast<uint64_t>(value) ^ std::bit_cast<uint64_t>(expected);
        if (isAsExpected(bits == 0)) return;
        const int before = std::countl_zero(bits) / kBytes;
        const int after = std::countr_zero(bits) / kBytes;
        byte(static_cast<uint64_t>(before << 4 | after));
        for (int i = kBytes - 1 - before; i >= after; --i) byte(bits >> (kBytes * i));
    }

    void seconds(double value, double expected) {
        const int64_t ticks = ticksOf(value);
        integer(ticks, ticksOf(expected));
        number(value, secondsOf(ticks));
    }

    std::string bytes() const {
        const std::string first{static_cast<char>(expected_ & 0xff),
                                static_cast<char>(expected_ >> 8)};
        return first + bytes_;
    }

private:
    /// Notes whether the next field is as expected.
    bool isAsExpected(bool is) {
        if (is) expected_ |= 1U << field_;
        ++field_;
        return is;
    }
    void byte(uint64_t value) { bytes_.push_back(static_cast<char>(value & 0xff)); }

    uint32_t expected_ = 0;
    int field_ = 0;
    std::string bytes_;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {
        expected_ = byte();
        expected_ |= byte() << 8;
    }

    void integer(int64_t& value, int64_t expected) {
        value = expected;
        if (isAsExpected()) return;
        uint64_t packed = 0;
        for (int shift = 0;; shift += 7) {
            const uint64_t part = byte();
            if (shift > 63) throwDamaged();
            packed |= (part & 0x7f) << shift;
            if (part < 0x80) break;
        }
        const uint64_t difference = (packed >> 1) ^ (~(packed & 1) + 1);
        value = static_cast<int64_t>(static_cast<uint64_t>(expected) + difference);
    }

    void number(double& value, double expected) {
        value = expected;
        if (isAsExpected()) return;
        const uint64_t zeros = byte();
        const int before = static_cast<int>(zeros >> 4), after = static_cast<int>(zeros & 0xf);
        if (before + after > kBytes) throwDamaged();
        uint64_t bits = 0;
        for (int i = kBytes - 1 - before; i >= after; --i) bits |= byte() << (kBytes * i);
        value = std::bit_cast<double>(bits ^ std::bit_cast<uint64_t>(expected));
    }

    void seconds(double& value, double expected) {
        int64_t ticks = 0;
        integer(ticks, ticksOf(expected));
        number(value, secondsOf(ticks));
    }

    void requireEnd() const {
        if (!bytes_.empty() || expected_ != 0) throwDamaged();
    }

private:
    /// Whether the next field is as expected.
    bool isAsExpected() {
        const bool is = (expected_ & 1) != 0;
        expected_ >>= 1;
        return is;
    }
    uint64_t byte() {
        if (bytes_.empty()) throwDamaged();
        const auto value = static_cast<uint8_t>(bytes_.front());
        bytes_.remove_prefix(1);
        return value;
    }

    [[noreturn]] static void throwDamaged() {
        throw Error(ErrorCode::InvalidInput, "The step is not packed as expected.",
                    "The log is damaged or was not written by Temper.");
    }

    std::string_view bytes_;
    uint64_t expected_ = 0;  ///< bits of the remaining fields
};

/// The fields of a step, for packing and for unpacking.
template <typename Coder, typename Time, typename Step>
void code(Coder& coder, Time& time, Step& step, double lastTime, const StepEvent& last,
          double epochGain) {
    coder.integer(step.step, static_cast<int64_t>(static_cast<uint64_t>(last.step) + 1));
    coder.integer(step.samples, last.samples);
    coder.seconds(time, lastTime);
    coder.seconds(step.stepSeconds, 0);
    coder.seconds(step.dataWaitSeconds, 0);
    coder.number(step.epoch, last.epoch + epochGain);
    coder.number(step.loss, last.loss);
    coder.number(step.learningRate, last.learningRate);
    coder.number(step.gradientNorm, last.gradientNorm);
}

}  // namespace

std::string StepPacking::pack(double time, const StepEvent& step) {
    Packer packer;
    code(packer, time, step, lastTime_, last_, epochGain_);
    packer.integer(static_cast<int64_t>(step.arenaBytes), static_cast<int64_t>(last_.arenaBytes));
    epochGain_ = step.epoch - last_.epoch;
    lastTime_ = time;
    last_ = step;
    return packer.bytes();
}

RunEvent StepPacking::unpack(std::string_view bytes) {
    Unpacker unpacker(bytes);
    double time = 0;
    StepEvent step;
    int64_t arenaBytes = 0;
    code(unpacker, time, step, lastTime_, last_, epochGain_);
    unpacker.integer(arenaBytes, static_cast<int64_t>(last_.arenaBytes));
    unpacker.requireEnd();
    step.arenaBytes = static_cast<size_t>(arenaBytes);
    epochGain_ = step.epoch - last_.epoch;
    lastTime_ = time;
    last_ = step;
    return {time, step};
}

}  // namespace temper
