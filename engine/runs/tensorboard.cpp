// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/tensorboard.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/core/file.h"

namespace temper {
namespace {

// Numbers of the fields. Source: event.proto (Event) and summary.proto (Summary, Summary.Value).
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
constexpr uint32_t kValue = 1;
constexpr uint32_t kTag = 1, kSimpleValue = 2;
enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// CRC-32C (Castagnoli), reflected polynomial. Source: RFC 3720, appendix B.4.
constexpr std::array<uint32_t, 256> makeCrcTable() {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
        table[byte] = crc;
    }
    return table;
}

/// As TFRecord has it: rotated by 15 bits, plus a constant.
uint32_t maskedCrc(std::string_view bytes) {
    static constexpr std::array<uint32_t, 256> kTable = makeCrcTable();
    uint32_t crc = ~0U;
    for (const char c : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(c)) & 0xFF] ^ (crc >> 8);
    return std::rotr(~crc, 15) + 0xA282EAD8U;
}

template <typename T>
void putFixed(std::string& out, T value) {
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

void putVarint(std::string& out, uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}

void putKey(std::string& out, uint32_t field, WireType type) { putVarint(out, field << 3 | type); }

void putBytes(std::string& out, uint32_t field, std::string_view bytes) {
    putKey(out, field, Bytes);
    putVarint(out, bytes.size());
    out.append(bytes);
}

void putRecord(std::string& out, std::string_view event) {
    std::string length;
    putFixed(length, static_cast<uint64_t>(event.size()));
    out += length;
    putFixed(out, maskedCrc(length));
    out += event;
    putFixed(out, maskedCrc(event));
}

std::string eventAt(double time) {
    std::string event;
    putKey(event, kWallTime, Fixed64);
    putFixed(event, time);
    return event;
}

/// Writes scalars at increasing steps; the time of a step is not part of a record, so all get the
/// time that the run began.
class Scalars {
public:
    Scalars(std::string& out, double time) : out_(out), time_(time) {}

    void add(int64_t step, const std::string& tag, double value) {
        std::string scalar;
        putBytes(scalar, kTag, tag);
        putKey(scalar, kSimpleValue, Fixed32);
        putFixed(scalar, static_cast<float>(value));
        std::string summary;
        putBytes(summary, kValue, scalar);
        std::string event = eventAt(time_);
        putKey(event, kStep, Varint);
        putVarint(event, static_cast<uint64_t>(step));
        putBytes(event, kSummary, summary);
        putRecord(out_, event);
    }

private:
    std::string& out_;
    double time_;
};

}  // namespace

std::string tensorBoardEvents(const RunRecord& record, double startedAt) {
    std::string out;
    std::string version = eventAt(startedAt);
    putBytes(version, kFileVersion, "brain.Event:2");
    putRecord(out, version);
    Scalars scalars(out, startedAt);
    for (const StepEvent& step : record.steps) {
        scalars.add(step.step, "train/loss", step.loss);
        scalars.add(step.step, "train/learning_rate", step.learningRate);
        scalars.add(step.step, "train/grad_norm", step.gradientNorm);
    }
    for (const EvalEvent& eval : record.evaluations) {
        scalars.add(eval.step, "eval/loss", eval.loss);
        for (const auto& [name, value] : eval.metrics) {
            if (name != "loss") scalars.add(eval.step, "eval/" + name, value);
        }
    }
    return out;
}

std::filesystem::path writeTensorBoard(const RunRecord& record, double startedAt,
                                       const std::filesystem::path& folder) {
    ensureFolder(folder);
    const auto seconds = static_cast<int64_t>(startedAt);
    const std::filesystem::path path =
        folder / ("events.out.tfevents." + std::to_string(seconds) + ".temper");
    writeFileAtomically(path, tensorBoardEvents(record, startedAt));
    return path;
}

}  // namespace temper
