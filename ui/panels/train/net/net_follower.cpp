// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/net_follower.h"

#include "ui/document/preparation.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

/// Cells of a plane in each direction: fewer while the model changes.
constexpr int kCellsWhileTraining = 32;
constexpr int kCells = 64;

}  // namespace

NetFollower::NetFollower(const PanelContext& context, QObject* parent)
    : WeightsFollower(context, tr("Computing the units"), tr("The units can't be shown"), parent) {
    for (const auto signal : {&StudioProject::preparationChanged, &StudioProject::dataChanged,
                              &StudioProject::modelChanged})
        connect(&context.project, signal, this, &NetFollower::refreshAvailability);
    refreshAvailability();
}

void NetFollower::refreshAvailability() {
    const StudioProject& project = context().project;
    if (project.isPreparing() && !project.preparation()) return;  // the model is being changed
    const std::optional<SmallNet> net = smallNet(project);
    const auto source = net ? project.preparation()->data->training() : nullptr;
    const bool changes = net.has_value() != net_.has_value();
    if (net != net_ || source != source_) forgetRunning();
    if (source != source_ ||
        (net && net_ && (net->features != net_->features || net->target != net_->target))) {
        data_.reset();
        latest_.reset();
    }
    net_ = net;
    source_ = source;
    if (changes) emit availabilityChanged();
    emit looked();
    markStale();
}

WeightsFollower::Evaluation NetFollower::evaluation() {
    if (!net_ || !source_) return {};
    NetRequest request{{}, context().project.ops(), source_, *net_, data_};
    request.side = context().run.isActive() ? kCellsWhileTraining : kCells;
    request.colors = &currentColors();
    return [this, request](const Weights& weights, const std::stop_token& stop) -> Take {
        NetRequest own = request;
        own.weights = weights;
        auto look = lookAtNet(own, stop);
        return [this, look = std::move(look)] { take(look); };
    };
}

void NetFollower::take(std::shared_ptr<const NetLook> look) {
    data_ = look->data;
    latest_ = std::move(look);
    emit looked();
}

}  // namespace temper::ui
