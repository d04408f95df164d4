// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "ui/panels/train/plane/plane_task.h"
#include "ui/panels/train/weights_follower.h"

namespace temper::ui {

/// Evaluates the plane of a model whenever its weights change.
/// Thread: the GUI thread.
class PlaneFollower : public WeightsFollower {
    Q_OBJECT
public:
    explicit PlaneFollower(const PanelContext& context, QObject* parent = nullptr);

    /// Whether the model can be shown this way.
    bool isAvailable() const { return columns_.has_value(); }
    /// Null before the first evaluation.
    const std::shared_ptr<const PlaneLook>& latest() const { return latest_; }
    /// Sets the range to show; no value: all samples.
    void setRange(const std::optional<PlaneRange>& range);

signals:
    void availabilityChanged();
    void looked();

protected:
    Evaluation evaluation() override;

private:
    void refreshAvailability();
    void forget();
    void take(std::shared_ptr<const PlaneLook> look);

    std::optional<PlaneColumns> columns_;
    std::shared_ptr<const LoadedData> source_;
    std::shared_ptr<const PlaneData> data_;
    std::shared_ptr<const PlaneLook> latest_;
    std::optional<PlaneRange> range_;
};

}  // namespace temper::ui
