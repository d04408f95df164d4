// SPDX-License-Identifier: Apache-2.0

// libFuzzer's entry point. TEMPER_FUZZ_TARGET names the target; with TEMPER_FUZZ_SEEDS=FOLDER its
// seeds are written there, and without a target the names of all are printed.
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

namespace {

std::string textOf(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Returns: the size; 0 ("nothing was made") if it does not fit.
size_t handOver(const std::string& made, uint8_t* to, size_t most) {
    if (made.size() > most) return 0;
    std::ranges::copy(made, to);
    return made.size();
}

}  // namespace

/// A target with its own mutator uses it; the others are mutated byte by byte.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize,
                                          unsigned int seed) {
    if (target->mutate == nullptr) return LLVMFuzzerMutate(data, size, maxSize);
    return handOver(target->mutate(textOf(data, size), seed), data, maxSize);
}

/// The others are crossed by LLVMFuzzerMutate().
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t maxOutSize, unsigned int seed) {
    if (target->cross == nullptr) return 0;
    return handOver(target->cross(textOf(data1, size1), textOf(data2, size2), seed), out,
                    maxOutSize);
}
