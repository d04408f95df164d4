// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/training/opset/opset_edit.h"

namespace temper {

/// Converts one node to another form.
using OpsetChange = void (*)(OpsetEdit& edit);

/// What a version of the opset changed about an operator.
struct OpsetEntry {
    std::string_view op;
    int64_t version = 0;         ///< the first with the newer form, or with the operator at all
    OpsetChange up = nullptr;    ///< from the older form; null: same meaning
    OpsetChange down = nullptr;  ///< to the older form; null: same meaning
};

/// The operators whose form a version changed, or that have to be replaced before it. What an older
/// version lacks besides, operators and types, is known from ONNX's schemas
/// (engine/onnx/operator_types.h).
/// Source of all entries: ONNX, docs/Changelog.md, versions 10 to 28.
const std::vector<OpsetEntry>& opsetAxisEntries();
const std::vector<OpsetEntry>& opsetFormEntries();
const std::vector<OpsetEntry>& opsetImageEntries();
const std::vector<OpsetEntry>& opsetNewOperatorEntries();
const std::vector<OpsetEntry>& opsetRecentEntries();  ///< from opset 22 on

}  // namespace temper
