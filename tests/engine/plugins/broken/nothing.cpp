// SPDX-License-Identifier: Apache-2.0
// A library that is not a plugin.
extern "C" int notAPlugin() { return 0; }
