// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/weight_source.h"

#include <QFileInfo>
#include <QLocale>
#include <QSignalBlocker>

#include "ui/checkpoints/checkpoint_remark.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/trained_weights.h"

namespace temper::ui {
namespace {

constexpr int kAverageRole = Qt::UserRole + 1;

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
    connect(&context_.controller, &RunController::sessionChanged, this, &WeightSource::refresh);
    connect(&context_.project, &StudioProject::specChanged, this, &WeightSource::refresh);
    connect(&context_.project, &StudioProject::opened, this, [this] {
        files_.clear();
        refresh();
    });
    refresh();
}

bool WeightSource::isAverage() const { return currentData(kAverageRole).toBool(); }

void WeightSource::choose(const QString& checkpoint, bool isAverage) {
    if (!checkpoint.isEmpty() && findData(checkpoint) < 0) files_ << checkpoint;
    list(checkpoint, isAverage);
}

/// Keeps the choice if it still exists.
void WeightSource::refresh() { list(currentData().toString(), isAverage()); }

void WeightSource::list(const QString& checkpoint, bool isAverage) {
    const QSignalBlocker blocker(this);
    clear();
    addItem(tr("Current weights"), QString());
    if (context_.controller.hasSession() && context_.project.spec().run.averageDecay > 0) {
        addItem(tr("Averaged weights (EMA)"));
        setItemData(1, true, kAverageRole);
    }
    for (const CheckpointEntry& entry : context_.run.checkpoints())
        addItem(checkpointText(entry), entry.path);
    for (const QString& file : files_)
        if (findData(file) < 0) addItem(QFileInfo(file).fileName(), file);
    setCurrentIndex(std::max(0, isAverage ? findData(true, kAverageRole) : findData(checkpoint)));
}

std::shared_ptr<const Artifacts> WeightSource::artifacts() const {
    return artifactsInUse(context_.project, context_.controller);
}

bool WeightSource::isAvailable() const { return artifacts() != nullptr; }

void WeightSource::fetch(std::function<void(Weights)> done,
                         std::function<void(const Problem&)> failed) {
    const QString failure = tr("The weights could not be read");
    const auto model = artifacts();
    if (!model)
        return failed({failure, tr("Training is not prepared yet."), tr("Choose data first.")});
    const QString path = currentData().toString();
    if (path.isEmpty() && context_.controller.hasSession()) {
        // A copy without moments: small, and taken between two steps.
        const auto copy = [model, isAverage = isAverage()](TrainingSession& session) {
            const auto averaged = isAverage ? useAverage(session.state()) : nullptr;
            auto state = std::make_shared<CheckpointState>(session.state().toFile(false));
            state->optimizerState().step = session.state().optimizerState().step;
            return Weights{model, state, state->optimizerState().step};
        };
        return context_.controller.withSession(failure, copy, done, failed);
    }
    context_.project.tasks()->run(
        tr("Reading weights"), failure,
        [model, path](std::stop_token) {
            const auto state = std::make_shared<CheckpointState>(
                path.isEmpty() ? CheckpointState(model->checkpoint)
                               : CheckpointState::load(path.toStdString()));
            return Weights{model, state, state->optimizerState().step,
                           remarkOnCheckpoint(*model, *state)};
        },
        done, failed);
}

}  // namespace temper::ui
