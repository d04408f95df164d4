// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "ui/panels/train/net/net_look.h"
#include "ui/panels/train/weights_follower.h"

namespace temper::ui {

/// Evaluates the units of a small net whenever its weights change.
/// Thread: the GUI thread.
class NetFollower : public WeightsFollower {
    Q_OBJECT
public:
    explicit NetFollower(const PanelContext& context, QObject* parent = nullptr);

    /// No value if the model can't be shown this way.
    const std::optional<SmallNet>& net() const { return net_; }
    using WeightsFollower::markStale;  // the images have colours of the theme
    /// Null before the first evaluation.
    const std::shared_ptr<const NetLook>& latest() const { return latest_; }

signals:
    void availabilityChanged();
    void looked();

protected:
    Evaluation evaluation() override;

private:
    void refreshAvailability();
    void take(std::shared_ptr<const NetLook> look);

    std::optional<SmallNet> net_;
    std::shared_ptr<const Dataset> source_;
    std::shared_ptr<const NetData> data_;
    std::shared_ptr<const NetLook> latest_;
};

}  // namespace temper::ui
