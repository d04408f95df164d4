// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/data_formats.h"
#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin's data format as one of Temper's. Its samples are those of training; what is split off
/// or named by `test=` is for evaluation.
DataFormat pluginDataFormat(const TemperDataFormat& format);

/// Throws: Error(InvalidInput) saying what is wrong with a table: no key or one with other letters
/// than a to z, a function that is missing.
void requireValid(const TemperDataFormat& format);

}  // namespace temper
