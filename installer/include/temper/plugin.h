// SPDX-License-Identifier: Apache-2.0
// What a plugin of Temper includes; plain C. docs/plugins.md says how to write one.
#include "engine/plugins/plugin.h"
