// SPDX-License-Identifier: Apache-2.0

// libFuzzer's entry. TEMPER_FUZZ_TARGET names the target; with TEMPER_FUZZ_SEEDS=FOLDER its seeds
// are written there, and with no target the names of all are printed.
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
