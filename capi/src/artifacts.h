// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "capi/src/findings.h"
#include "capi/src/names.h"
#include "engine/training/artifacts/artifacts.h"

/// Artifacts that were made or loaded. Their graphs are shared and never change.
struct TemperArtifacts {
    TemperArtifacts(temper::Artifacts made, temper::ArtifactSpec madeWith,
                    const std::vector<temper::Finding>& remarks);

    temper::Artifacts artifacts;
    temper::ArtifactSpec spec;  ///< that they were made with
    temper::capi::NameList trainable;
    temper::capi::NameList frozen;
    TemperFindings findings;
};
