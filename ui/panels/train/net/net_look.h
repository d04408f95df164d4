// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/ops/op_set.h"
#include "ui/panels/evaluate/weight_source.h"
#include "ui/panels/train/net/net_data.h"
#include "ui/theme/colors.h"

namespace temper::ui {

/// A grid of numbers in a unit's picture; a curve or profile has one row.
struct NetTile {
    int columns = 0;
    int rows = 0;
    std::vector<float> values;  ///< the first row is at the top
    QImage image = {};          ///< of the values, a pixel each; null for one row

    float largest() const;  ///< magnitude
};

/// A layer of units, as drawn in one column.
struct NetLayer {
    QString name;
    QString activation;  ///< "Relu"; empty for the head
    int inputs = 0;
    std::vector<float> weights;  ///< [units, inputs]
    std::vector<NetTile> units;

    float weight(int unit, int input) const {
        return weights[static_cast<size_t>(unit) * static_cast<size_t>(inputs) +
                       static_cast<size_t>(input)];
    }
};

/// An evaluation of all units. Immutable.
struct NetLook {
    std::shared_ptr<const NetData> data;
    std::vector<NetTile> inputs;  ///< by feature, or one for the whole sample
    QStringList inputNames;       ///< the same
    std::vector<NetLayer> layers;
    int64_t step = 0;

    /// Each unit of the first layer reads each of `inputs`; else something comes between.
    bool readsInputs() const;
};

struct NetRequest {
    Weights weights;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const Dataset> source;
    SmallNet net;
    std::shared_ptr<const NetData> data;    ///< from before; null: read from `source`
    int side = 40;                          ///< cells of a plane in each direction
    const Colors* colors = &lightColors();  ///< of the images
};

/// Throws: Error if the model can't be shown this way; Interrupted.
std::shared_ptr<const NetLook> lookAtNet(const NetRequest& request, const std::stop_token& stop);

}  // namespace temper::ui
