// SPDX-License-Identifier: Apache-2.0
// The tables of functions that programs for ONNX Runtime call.
#include <string>

#include "capi/src/arguments.h"
#include "capi/src/ort/memory.h"
#include "capi/src/ort/status.h"

namespace temper::capi::ort {
namespace {

constexpr uint32_t kFirstTrainingVersion = 13;
constexpr const char* kProvider = "CPUExecutionProvider";

const OrtTrainingApi* getTrainingApi(uint32_t version) {
    if (version < kFirstTrainingVersion || version > ORT_API_VERSION) return nullptr;
    static const OrtTrainingApi kApi = [] {
        OrtTrainingApi api = {};
        addCheckpointFunctions(api);
        addTrainingFunctions(api);
        return api;
    }();
    return &kApi;
}

const char* getBuildInfo() { return "ORT Build Info: Temper " TEMPER_VERSION; }

OrtStatus* getProviders(char*** providers, int* count) {
    return guarded([&] {
        required(providers, "out_ptr");
        required(count, "provider_length");
        auto** list = static_cast<char**>(allocate(&defaultAllocator(), sizeof(char*)));
        list[0] = copyOf(kProvider, &defaultAllocator());
        *providers = list;
        *count = 1;
    });
}

OrtStatus* releaseProviders(char** providers, int count) {
    return guarded([&] {
        OrtAllocator& allocator = defaultAllocator();
        for (int i = 0; providers != nullptr && i < count; ++i)
            allocator.Free(&allocator, providers[i]);
        allocator.Free(&allocator, static_cast<void*>(providers));
    });
}

/// Every function; those that Temper lacks return a status that says so.
void addMissingFunctions(OrtApi& api) {
#define TEMPER_ORT_FUNCTION(function) \
    api.function = Missing<#function, decltype(api.function)>::call;
#include "capi/src/ort/api_functions.inc"
#undef TEMPER_ORT_FUNCTION
}

constexpr size_t kFunctions = 0
#define TEMPER_ORT_FUNCTION(function) +1
#include "capi/src/ort/api_functions.inc"
#undef TEMPER_ORT_FUNCTION
    ;
static_assert(sizeof(OrtApi) == kFunctions * sizeof(void*), "each member is listed");

const OrtApi* getApi(uint32_t version) {
    if (version == 0 || version > ORT_API_VERSION) return nullptr;
    static const OrtApi kApi = [] {
        OrtApi api = {};
        addMissingFunctions(api);
        addStatusFunctions(api);
        addOptionFunctions(api);
        addMemoryFunctions(api);
        addTensorFunctions(api);
        addTextFunctions(api);
        addTypeFunctions(api);
        addInferenceFunctions(api);
        api.GetTrainingApi = getTrainingApi;
        api.GetBuildInfoString = getBuildInfo;
        api.GetAvailableProviders = getProviders;
        api.ReleaseAvailableProviders = releaseProviders;
        return api;
    }();
    return &kApi;
}

/// Of ONNX Runtime, whose interface this is.
const char* getVersion() { return "1.19.0"; }

}  // namespace

}  // namespace temper::capi::ort

const OrtApiBase* OrtGetApiBase() {
    static constexpr OrtApiBase kBase{temper::capi::ort::getApi, temper::capi::ort::getVersion};
    return &kBase;
}
