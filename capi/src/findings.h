// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "capi/include/temper/temper.h"
#include "capi/src/names.h"
#include "engine/core/error.h"

/// Findings as C sees them.
struct TemperFindings {
    struct Entry {
        temper::Finding finding;
        temper::capi::NameList parameters;
    };

    TemperFindings() = default;
    explicit TemperFindings(const std::vector<temper::Finding>& findings) {
        for (const temper::Finding& finding : findings)
            entries.push_back({finding, temper::capi::NameList(finding.parameters)});
    }

    std::vector<Entry> entries;
};
