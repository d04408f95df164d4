// SPDX-License-Identifier: Apache-2.0
// A library, but no plugin.
extern "C" int notAPlugin() { return 0; }
