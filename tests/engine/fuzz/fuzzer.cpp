// SPDX-License-Identifier: Apache-2.0

// libFuzzer's entry. TEMPER_FUZZ_TARGET names the target; with TEMPER_FUZZ_SEEDS=FOLDER its seeds
// are written there, and with no target the names of all are printed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/engine/fuzz/fuzz_targets.h"

namespace {

const temper::test::FuzzTarget* target = nullptr;

void printTargets() {
    for (const auto& known : temper::test::fuzzTargets()) std::puts(known.name);
}

void writeSeeds(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto seeds = temper::test::fuzzSeeds();
    int number = 0;
    for (const std::string& seed : seeds.at(target->name)) {
        std::ofstream file(folder / ("seed-" + std::to_string(number++)), std::ios::binary);
        file << seed;
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("TEMPER_FUZZ_TARGET");
    for (const auto& known : temper::test::fuzzTargets()) {
        if (name != nullptr && known.name == std::string(name)) target = &known;
    }
    if (target == nullptr) {
        printTargets();
        std::exit(name == nullptr ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (const char* folder = std::getenv("TEMPER_FUZZ_SEEDS")) {
        writeSeeds(folder);
        std::exit(EXIT_SUCCESS);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    target->run(std::as_bytes(std::span(data, size)));
    return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

/// A target with a mutator of its own is changed by it; the others, byte by byte.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize,
                                          unsigned int seed) {
    if (target->mutate == nullptr) return LLVMFuzzerMutate(data, size, maxSize);
    const std::string made =
        target->mutate(std::string(reinterpret_cast<const char*>(data), size), seed);
    if (made.size() > maxSize) return size;
    std::ranges::copy(made, data);
    return made.size();
}
