// SPDX-License-Identifier: Apache-2.0
#include "capi/src/findings.h"

#include "capi/src/arguments.h"
#include "capi/src/failure.h"

using namespace temper;
using namespace temper::capi;

int64_t temper_findings_count(const TemperFindings* findings) {
    return findings == nullptr ? 0 : static_cast<int64_t>(findings->entries.size());
}

TemperStatus temper_findings_get(const TemperFindings* findings, int64_t index,
                                 TemperFinding* finding, TemperFailure** failure) {
    return guarded(failure, [&] {
        const auto& entry = elementAt(required(findings, "findings").entries, index, "finding");
        const Finding& found = entry.finding;
        TemperFinding view = {};
        view.code = found.code.c_str();
        view.node = found.node.c_str();
        view.op = found.op.c_str();
        view.message = found.message.c_str();
        view.hint = found.hint.c_str();
        view.parameters = entry.parameters.view();
        view.severity = static_cast<int32_t>(found.severity);
        fill(finding, view, "finding");
    });
}
