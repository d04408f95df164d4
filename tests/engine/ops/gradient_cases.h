// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/op_check.h"

namespace temper::test {

/// A row of a table of gradients to compare with finite differences.
struct GradientCase {
    const char* name;
    OpCase opCase;
    GradientOptions options = {};
};

/// Adds a row per case; the rows hold the indices of the cases.
inline void addRows(const std::vector<GradientCase>& cases) {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < cases.size(); ++i) QTest::newRow(cases[i].name) << static_cast<int>(i);
}

inline QString check(const std::vector<GradientCase>& cases, int row) {
    const GradientCase& chosen = cases.at(static_cast<size_t>(row));
    return QString::fromStdString(checkGradient(chosen.opCase, chosen.options));
}

/// Adds a row per recorded case of ONNX Runtime.
inline void addOrtRows(std::initializer_list<const char*> names) {
    QTest::addColumn<QString>("name");
    for (const char* name : names) QTest::newRow(name) << QString(name);
}

inline std::filesystem::path ortCase(const QString& name) {
    return std::filesystem::path(TEMPER_CONFORMANCE_DIR) / "ort/ops" / name.toStdString();
}

/// Runs the case in float32 and float64 with the same numbers. Returns: how the results differ.
inline std::string differenceOfPrecisions(OpCase opCase, const Tolerance& tolerance) {
    const Results single = runOp(opCase);
    for (auto& [name, feed] : opCase.feeds) {
        Tensor& tensor = feed.tensors.front();
        if (tensor.dtype() == DType::Float32) tensor = tensor.cast(DType::Float64);
    }
    const Results precise = runOp(opCase);
    for (const auto& [name, tensor] : single) {
        const Tensor& wide = precise.at(name);
        const std::string problem = difference(tensor.cast(wide.dtype()), wide, tolerance);
        if (!problem.empty()) return name + ": " + problem;
    }
    return {};
}

/// Whether one and three threads give the same bits.
inline bool isIndependentOfThreads(const OpCase& opCase) {
    const Results one = runOp(opCase), three = runOp(opCase, {.threads = 3});
    for (const auto& [name, tensor] : one) {
        const Tensor& other = three.at(name);
        const bool isEqual =
            tensor.byteSize() == other.byteSize() &&
            std::equal(tensor.data(), tensor.data() + tensor.byteSize(), other.data());
        if (!isEqual) return false;
    }
    return true;
}

}  // namespace temper::test
