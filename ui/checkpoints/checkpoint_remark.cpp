// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_remark.h"

#include "ui/translation/tr.h"

namespace temper::ui {

Problem remarkOnCheckpoint(const Artifacts& artifacts, const CheckpointState& state) {
    const std::vector<Finding> findings = checkpointFindings(artifacts, state);
    if (findings.empty()) return {};
    return {tr("The checkpoint may not belong to this model"), text(findings.front().message),
            text(findings.front().hint)};
}

}  // namespace temper::ui
