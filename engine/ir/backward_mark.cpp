// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/backward_mark.h"

#include <string_view>
#include <utility>

namespace temper {
namespace {

constexpr std::string_view kMark = "Backward pass";

}  // namespace

std::string fileDocString(const Node& node) {
    return node.isBackward() ? std::string(kMark) : node.docString();
}

void readFileDocString(NodeSpec& spec, std::string text) {
    spec.isBackward = text == kMark;
    spec.docString = spec.isBackward ? std::string() : std::move(text);
}

}  // namespace temper
