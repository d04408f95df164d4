// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/dataset.h"
#include "engine/training/loss/ranged_targets.h"

namespace temper {

/// Targets are checked where they are known, and nothing is read only for that once a column is
/// large: findTargetsOutOfRange() looks at the first kTargetBytesAtStart bytes of a column, which
/// for most data is all of it, before a run; checkedTargets() looks at every batch that is read
/// later. So neither a wrong target is trained on, nor a file of many gigabytes read before the
/// first step. NaN is not looked at here: it is an error of the data (D101).
inline constexpr int64_t kTargetBytesAtStart = 256 << 20;

/// D123 (error), one for each target with such values: values that the loss does not take, such as
/// 3 for binary cross entropy, with the first of their samples. `binding`: input name to column
/// name; inputs without a column, and columns of texts, are not looked at.
std::vector<Finding> findTargetsOutOfRange(std::span<const RangedTarget> targets,
                                           const std::map<std::string, std::string>& binding,
                                           const Dataset& data);

/// D123 for one array that feeds the target; `array`: its name in the message, such as "array
/// 'target'". Absent if all values are in the range.
std::optional<Finding> objectionToValues(const RangedTarget& target, const Tensor& values,
                                         const std::string& array);

/// `data`, whose read() looks at the values of the targets; the same pointer if none has a range.
/// It throws: Error(InvalidInput) as D123, naming the sample as its source does ("line 7").
std::shared_ptr<const Dataset> checkedTargets(std::shared_ptr<const Dataset> data,
                                              std::vector<RangedTarget> targets,
                                              const std::map<std::string, std::string>& binding);

}  // namespace temper
