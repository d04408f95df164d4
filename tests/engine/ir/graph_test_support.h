// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <memory>
#include <string>

#include "engine/core/error.h"
#include "engine/onnx/graph_text.h"

namespace temper::test {

/// The graph as text without header and types, for comparing.
inline QString textOf(const Graph& graph) {
    return QString::fromStdString(toText(graph, {.header = false, .valueTypes = false}));
}

/// The same text for a graph given as ONNX text in a test.
inline QString normalized(const char* text) { return textOf(*parseText(text)); }

/// The message of what `f` throws; empty if it throws nothing.
template <typename F>
QString errorOf(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace temper::test
