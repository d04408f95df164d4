// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace temper::test {

/// The target "model-journey": journeyOf() over ONNX's operator tests, changed by a ModelMutator.
std::string runJourney(std::span<const std::byte> bytes);
std::string mutateJourney(const std::string& model, uint64_t seed);
std::string crossJourneys(const std::string& model, const std::string& other, uint64_t seed);
/// operatorModels(); the lessons' models if ONNX's tests are not installed.
const std::vector<std::string>& journeySeeds();

}  // namespace temper::test
