// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"
#include "ui/run/curve.h"

namespace temper::ui {

/// The measurements of the parameters over the steps of a run. At most kMaxLooks of them are kept
/// for a run of any length: beyond that, every other one is dropped, as is every other new one.
class LayerHistory {
public:
    enum Value { WeightNorm, GradientNorm, UpdateRatio, ZeroGradients, kValues };
    static constexpr size_t kMaxLooks = 4096;

    /// A measurement of different parameters starts the history again.
    void add(const LayersEvent& event);
    void clear();
    /// Removes the measurements after a step.
    void cutAfter(int64_t step);

    /// Names of the parameters, in the order of the run.
    const std::vector<std::string>& names() const { return names_; }
    size_t looks() const { return looks_.size(); }
    /// Empty for an unknown name.
    Curve curve(const std::string& name, Value value) const;

private:
    struct Look {
        int64_t step = 0;
        std::vector<std::array<float, kValues>> layers;
    };

    std::vector<std::string> names_;
    std::vector<Look> looks_;
    size_t stride_ = 1;  ///< one in this many measurements is kept
    size_t passed_ = 0;  ///< since the last one kept
};

/// "Weight norm", ...
QString layerValueLabel(LayerHistory::Value value);

}  // namespace temper::ui
