// SPDX-License-Identifier: Apache-2.0
// Provides a data format that already exists.
#include <temper/plugin.h>

namespace {

int recognises(const char*) { return 0; }
int open(const char*, const TemperOption*, int32_t, void**, TemperError*) { return 1; }
int64_t count(void*) { return 0; }
int32_t columnCount(void*) { return 0; }
void column(void*, int32_t, TemperColumn*) {}
int read(void*, int32_t, const int64_t*, int64_t, void*, TemperError*) { return 1; }
void close(void*) {}

int load(const TemperHost* host, TemperRegistry* registry, TemperError* error) {
    TemperDataFormat format{};
    format.size = sizeof format;
    format.key = "csv";
    format.label = "Another CSV";
    format.recognises = recognises;
    format.open = open;
    format.sample_count = count;
    format.column_count = columnCount;
    format.column = column;
    format.read = read;
    format.close = close;
    return host->add_data_format(registry, &format, error);
}

}  // namespace

extern "C" const TemperPlugin temper_plugin = {TEMPER_PLUGIN_ABI, "known_format", "1", "", load};
