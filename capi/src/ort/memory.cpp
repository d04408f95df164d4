// SPDX-License-Identifier: Apache-2.0
#include "capi/src/ort/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/ort/status.h"
#include "engine/core/string_tensor.h"

namespace temper::capi::ort {

const OrtMemoryInfo& hostMemory() {
    static const OrtMemoryInfo kMemory{"Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault};
    return kMemory;
}

namespace {

constexpr size_t kAlignment = 64;

void* allocateHost(OrtAllocator* /*allocator*/, size_t bytes) {
    if (bytes > SIZE_MAX - kAlignment) return nullptr;
    const size_t rounded = std::max(bytes + kAlignment - 1, kAlignment) / kAlignment * kAlignment;
    return std::aligned_alloc(kAlignment, rounded);
}

void freeHost(OrtAllocator* /*allocator*/, void* memory) { std::free(memory); }

const OrtMemoryInfo* infoOfHost(const OrtAllocator* /*allocator*/) { return &hostMemory(); }

// ---- functions of the interface ----------------------------------------------------------------

OrtStatus* createMemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType memType,
                            OrtMemoryInfo** info) {
    return guarded([&] {
        const std::string device = requiredText(name, "name");
        if (device != hostMemory().name) {
            throw Error(ErrorCode::Unsupported,
                        "The memory of '" + device + "' is not available; only that of 'Cpu' is.");
        }
        set(info, new OrtMemoryInfo{device, type, id, memType}, "info");
    });
}

OrtStatus* createCpuMemoryInfo(OrtAllocatorType type, OrtMemType memType, OrtMemoryInfo** info) {
    return createMemoryInfo("Cpu", type, 0, memType, info);
}

void releaseMemoryInfo(OrtMemoryInfo* info) { delete info; }

OrtStatus* compareMemoryInfo(const OrtMemoryInfo* first, const OrtMemoryInfo* second, int* differ) {
    return guarded([&] {
        const OrtMemoryInfo &a = required(first, "info1"), &b = required(second, "info2");
        const bool same =
            a.name == b.name && a.type == b.type && a.id == b.id && a.memType == b.memType;
        set(differ, same ? 0 : -1, "out");
    });
}

OrtStatus* memoryName(const OrtMemoryInfo* info, const char** name) {
    return guarded([&] { set(name, required(info, "info").name.c_str(), "out"); });
}

template <auto member, typename Out>
OrtStatus* memoryField(const OrtMemoryInfo* info, Out* out) {
    return guarded([&] { set(out, required(info, "info").*member, "out"); });
}

void memoryDevice(const OrtMemoryInfo* /*info*/, OrtMemoryInfoDeviceType* type) {
    if (type != nullptr) *type = OrtMemoryInfoDeviceType_CPU;
}

OrtStatus* getAllocator(OrtAllocator** allocator) {
    return guarded([&] { set(allocator, &defaultAllocator(), "out"); });
}

OrtStatus* createAllocator(const OrtSession* session, const OrtMemoryInfo* info,
                           OrtAllocator** allocator) {
    return guarded([&] {
        required(session, "session");
        required(info, "info");
        set(allocator, &defaultAllocator(), "out");
    });
}

/// Allocators of sessions are the default one, which stays.
void releaseAllocator(OrtAllocator* /*allocator*/) {}

OrtStatus* allocatorAlloc(OrtAllocator* allocator, size_t bytes, void** memory) {
    return guarded([&] { set(memory, allocate(allocator, bytes), "out"); });
}

OrtStatus* allocatorFree(OrtAllocator* allocator, void* memory) {
    return guarded([&] {
        OrtAllocator& given = required(allocator, "allocator");
        given.Free(&given, memory);
    });
}

OrtStatus* allocatorInfo(const OrtAllocator* allocator, const OrtMemoryInfo** info) {
    return guarded([&] {
        const OrtAllocator& given = required(allocator, "allocator");
        set(info, given.Info(&given), "out");
    });
}

}  // namespace

OrtAllocator& defaultAllocator() {
    static OrtAllocator kAllocator{ORT_API_VERSION, allocateHost, freeHost, infoOfHost,
                                   allocateHost};
    return kAllocator;
}

void* allocate(OrtAllocator* allocator, size_t bytes) {
    OrtAllocator& given = required(allocator, "allocator");
    void* memory = given.Alloc(&given, bytes);
    if (memory == nullptr && bytes > 0) throw std::bad_alloc();
    return memory;
}

char* copyOf(std::string_view text, OrtAllocator* allocator) {
    auto* copy = static_cast<char*>(allocate(allocator, text.size() + 1));
    std::copy(text.begin(), text.end(), copy);
    copy[text.size()] = 0;
    return copy;
}

Tensor tensorOf(OrtAllocator* allocator, DType dtype, Shape shape) {
    const auto count = static_cast<size_t>(numElements(shape));
    if (dtype == DType::String)
        return stringTensor(std::move(shape), std::vector<std::string>(count));
    OrtAllocator& given = required(allocator, "allocator");
    if (count > SIZE_MAX / dtypeSize(dtype)) throw std::bad_alloc();
    const size_t bytes = count * dtypeSize(dtype);
    void* memory = allocate(allocator, bytes);
    std::memset(memory, 0, bytes);
    const std::shared_ptr<void> owner(memory, [&given](void* held) { given.Free(&given, held); });
    return Tensor::wrap(dtype, std::move(shape), owner, memory);
}

void addMemoryFunctions(OrtApi& api) {
    api.CreateMemoryInfo = createMemoryInfo;
    api.CreateCpuMemoryInfo = createCpuMemoryInfo;
    api.ReleaseMemoryInfo = releaseMemoryInfo;
    api.CompareMemoryInfo = compareMemoryInfo;
    api.MemoryInfoGetName = memoryName;
    api.MemoryInfoGetId = memoryField<&OrtMemoryInfo::id, int>;
    api.MemoryInfoGetMemType = memoryField<&OrtMemoryInfo::memType, OrtMemType>;
    api.MemoryInfoGetType = memoryField<&OrtMemoryInfo::type, OrtAllocatorType>;
    api.MemoryInfoGetDeviceType = memoryDevice;
    api.GetAllocatorWithDefaultOptions = getAllocator;
    api.CreateAllocator = createAllocator;
    api.ReleaseAllocator = releaseAllocator;
    api.AllocatorAlloc = allocatorAlloc;
    api.AllocatorFree = allocatorFree;
    api.AllocatorGetInfo = allocatorInfo;
}

}  // namespace temper::capi::ort
