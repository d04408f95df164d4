// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plane/plane_follower.h"

#include "ui/document/studio_project.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

/// Cells in each direction: fewer while the model changes.
constexpr int kSideWhileTraining = 96;
constexpr int kSide = 192;

}  // namespace

PlaneFollower::PlaneFollower(const PanelContext& context, QObject* parent)
    : WeightsFollower(context, tr("Computing the plane"), tr("The plane can't be shown"), parent) {
    for (const auto signal : {&StudioProject::preparationChanged, &StudioProject::dataChanged,
                              &StudioProject::modelChanged})
        connect(&context.project, signal, this, &PlaneFollower::refreshAvailability);
    refreshAvailability();
}

void PlaneFollower::refreshAvailability() {
    const auto& preparation = context().project.preparation();
    if (context().project.isPreparing() && !preparation) return;  // the model is being changed
    std::optional<PlaneColumns> columns;
    if (preparation) columns = planeColumns(*preparation);
    const auto source = preparation ? preparation->data : nullptr;
    const bool changes = columns.has_value() != columns_.has_value();
    if (columns != columns_ || source != source_) {
        columns_ = columns;
        source_ = source;
        forget();
    }
    if (changes) emit availabilityChanged();
    markStale();
}

void PlaneFollower::forget() {
    forgetRunning();
    data_.reset();
    latest_.reset();
    range_.reset();
    emit looked();
}

void PlaneFollower::setRange(const std::optional<PlaneRange>& range) {
    if (range == range_) return;
    range_ = range;
    markStale();
}

WeightsFollower::Evaluation PlaneFollower::evaluation() {
    if (!columns_ || !source_) return {};
    PlaneRequest request{{}, context().project.ops(), source_, *columns_, data_, range_};
    request.side = context().run.isActive() ? kSideWhileTraining : kSide;
    return [this, request](const Weights& weights, const std::stop_token& stop) -> Take {
        PlaneRequest own = request;
        own.weights = weights;
        auto look = lookAtPlane(own, stop);
        return [this, look = std::move(look)] { take(look); };
    };
}

void PlaneFollower::take(std::shared_ptr<const PlaneLook> look) {
    data_ = look->data;
    latest_ = std::move(look);
    emit looked();
}

}  // namespace temper::ui
