// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/device.h"

#include <algorithm>
#include <iterator>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/runtime/cpu/cpu_device.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "engine/runtime/cpu/processor_name.h"

namespace temper {
namespace {

std::string whyNoBFloat16() {
    if (bfloat16Units() != BFloat16Units::None) return {};
    return "it has " + instructionSetName() + ", but neither AVX512_BF16 nor AMX";
}

std::vector<DeviceEntry>& table() {
    static std::vector<DeviceEntry> entries = {
        {"cpu",
         [](const KernelRegistry& kernels, int threads) -> std::shared_ptr<Device> {
             return std::make_shared<CpuDevice>(kernels, threads);
         },
         processorName, whyNoBFloat16},
    };
    return entries;
}

/// `name` may end with ":0".
auto entryOf(const std::string& name) {
    return std::ranges::find(table(), name.ends_with(":0") ? name.substr(0, name.size() - 2) : name,
                             &DeviceEntry::name);
}

}  // namespace

const std::vector<DeviceEntry>& devices() { return table(); }

void addDevice(DeviceEntry entry) {
    if (entryOf(entry.name) != table().end())
        throw Error(ErrorCode::InvalidInput, "Device '" + entry.name + "' already exists.");
    table().push_back(std::move(entry));
}

std::vector<std::string> deviceNames() {
    std::vector<std::string> names;
    std::ranges::transform(table(), std::back_inserter(names), &DeviceEntry::name);
    return names;
}

std::string describeDevice(const std::string& name) {
    const auto entry = entryOf(name);
    const bool isKnown = entry != table().end() && entry->hardware;
    const std::string hardware = isKnown ? entry->hardware() : std::string();
    return hardware.empty() ? name : name + ": " + hardware;
}

void requireBFloat16(const std::string& name) {
    const auto entry = entryOf(name);
    if (entry == table().end() || !entry->whyNoBFloat16) return;
    const std::string why = entry->whyNoBFloat16();
    if (why.empty()) return;
    const std::string hardware = entry->hardware ? entry->hardware() : std::string();
    throw Error(ErrorCode::Unsupported,
                "Device '" + entry->name + "'" + (hardware.empty() ? "" : " (" + hardware + ")") +
                    " does not multiply in bfloat16: " + why + ".",
                "Train in float32: set the precision to fp32.");
}

std::shared_ptr<Device> makeDevice(const std::string& name, const KernelRegistry& cpuKernels,
                                   int threads) {
    const auto entry = entryOf(name);
    if (entry != table().end()) return entry->make(cpuKernels, threads);
    throw Error(ErrorCode::Unsupported, "Device '" + name + "' is not available.",
                "Devices of this build: " + joined(deviceNames()) + ".");
}

}  // namespace temper
