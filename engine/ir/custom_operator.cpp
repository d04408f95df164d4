// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/custom_operator.h"

namespace temper {
namespace {

/// The domain itself or a subdomain: "ai.onnx", "ai.onnx.ml".
bool isWithin(std::string_view domain, std::string_view owner) {
    return domain.starts_with(owner) &&
           (domain.size() == owner.size() || domain[owner.size()] == '.');
}

}  // namespace

bool isCustomDomain(std::string_view domain) {
    return domain != kOnnxDomain && !isWithin(domain, "ai.onnx") &&
           !isWithin(domain, kMicrosoftDomain) && !isWithin(domain, "com.ms");
}

std::string adviceOnMissing(const Node& node, const std::string& advice) {
    if (!isCustomDomain(node.domain())) return advice;
    return advice + " A plugin may provide it; 'temper plugins' lists those installed.";
}

}  // namespace temper
