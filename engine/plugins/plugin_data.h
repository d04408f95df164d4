// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/data_formats.h"
#include "engine/plugins/plugin.h"

namespace temper {

/// A plugin's data format as one of Temper's. Its samples are for training; those split off or
/// named by `test=` are for evaluation.
DataFormat pluginDataFormat(const TemperDataFormat& format);

/// Throws: Error(InvalidInput) saying what is wrong with a table: no key or one with other letters
/// than a to z, a missing function.
void requireValid(const TemperDataFormat& format);

}  // namespace temper
