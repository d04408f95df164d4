// SPDX-License-Identifier: Apache-2.0
// The header for plugins of Temper; plain C. docs/plugins.md describes how to write one.
#include "engine/plugins/plugin.h"
