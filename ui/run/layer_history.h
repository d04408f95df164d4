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

/// What the looks at the parameters said, over the steps of a run. However long it is, at most
/// kMaxLooks of them are kept: then every other one goes, and so does every other new one.
class LayerHistory {
public:
    enum Value { WeightNorm, GradientNorm, UpdateRatio, ZeroGradients, kValues };
    static constexpr size_t kMaxLooks = 4096;

    /// A look at other parameters than before begins anew.
    void add(const LayersEvent& event);
    void clear();
    /// Forgets the looks behind a step.
    void cutAfter(int64_t step);

    /// Of the parameters, in the order of the run.
    const std::vector<std::string>& names() const { return names_; }
    size_t looks() const { return looks_.size(); }
    /// Empty for a name that there is not.
    Curve curve(const std::string& name, Value value) const;

private:
    struct Look {
        int64_t step = 0;
        std::vector<std::array<float, kValues>> layers;
    };

    std::vector<std::string> names_;
    std::vector<Look> looks_;
    size_t stride_ = 1;  ///< one in so many looks is kept
    size_t passed_ = 0;  ///< since the last one that was
};

/// "Weight norm", ...
QString layerValueLabel(LayerHistory::Value value);

}  // namespace temper::ui
