// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/weight_source.h"

#include <QFileInfo>
#include <QLocale>
#include <QSignalBlocker>

#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

QString checkpointText(const CheckpointEntry& entry) {
    return WeightSource::tr("Step %1, %2")
        .arg(QLocale().toString(static_cast<qlonglong>(entry.step)),
             QFileInfo(entry.path).fileName());
}

}  // namespace

WeightSource::WeightSource(const PanelContext& context, QWidget* parent)
    : QComboBox(parent), context_(context) {
    setAccessibleName(tr("Weights to use"));
    setObjectName(QStringLiteral("weightSource"));
    setSizeAdjustPolicy(AdjustToContents);
    connect(&context_.run, &RunModel::checkpointsChanged, this, &WeightSource::refresh);
    refresh();
}

void WeightSource::refresh() {
    const QSignalBlocker blocker(this);
    const QString path = currentData().toString();
    clear();
    addItem(tr("Current weights"), QString());
    for (const CheckpointEntry& entry : context_.run.checkpoints())
        if (findData(entry.path) < 0) addItem(checkpointText(entry), entry.path);
    setCurrentIndex(std::max(0, findData(path)));
}

std::shared_ptr<const Artifacts> WeightSource::artifacts() const {
    if (context_.controller.hasSession()) return context_.controller.artifacts();
    const auto& preparation = context_.project.preparation();
    return preparation ? preparation->artifacts : nullptr;
}

bool WeightSource::isAvailable() const { return artifacts() != nullptr; }

void WeightSource::fetch(std::function<void(Weights)> done,
                         std::function<void(const Problem&)> failed) {
    const QString failure = tr("The weights could not be read");
    const auto model = artifacts();
    if (!model)
        return failed({failure, tr("Training is not prepared yet."), tr("Choose data first.")});
    const QString path = currentData().toString();
    const auto wrap = [model, done](std::shared_ptr<const CheckpointState> state) {
        const int64_t step = state->optimizerState().step;
        done({model, std::move(state), step});
    };
    if (path.isEmpty() && context_.controller.hasSession()) {
        // A copy without moments: small, and taken between two steps.
        const auto copy = [](TrainingSession& session) -> std::shared_ptr<const CheckpointState> {
            auto state = std::make_shared<CheckpointState>(session.state().toFile(false));
            state->optimizerState().step = session.state().optimizerState().step;
            return state;
        };
        return context_.controller.withSession(failure, copy, wrap, failed);
    }
    context_.project.tasks()->run(
        tr("Reading weights"), failure,
        [model, path](std::stop_token) -> std::shared_ptr<const CheckpointState> {
            if (path.isEmpty()) return std::make_shared<CheckpointState>(model->checkpoint);
            return std::make_shared<CheckpointState>(CheckpointState::load(path.toStdString()));
        },
        wrap, failed);
}

}  // namespace temper::ui
