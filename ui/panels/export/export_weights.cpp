// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export/export_weights.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

constexpr int kKindRole = Qt::UserRole;
constexpr int kPathRole = Qt::UserRole + 1;

}  // namespace

ExportWeights::ExportWeights(const PanelContext& context, QWidget* parent)
    : QComboBox(parent), context_(context) {
    setAccessibleName(tr("Weights to export"));
    setObjectName(QStringLiteral("exportWeights"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(&context_.run, &RunModel::checkpointsChanged, this, &ExportWeights::refresh);
    connect(&context_.run, &RunModel::stateChanged, this, &ExportWeights::refresh);
    connect(&context_.controller, &RunController::sessionChanged, this, &ExportWeights::refresh);
    connect(&context_.project, &StudioProject::specChanged, this, &ExportWeights::refresh);
    connect(&context_.project, &StudioProject::opened, this, [this] {
        files_.clear();
        setCurrentIndex(0);
        refresh();
    });
    connect(this, &QComboBox::activated, this, &ExportWeights::activate);
    refresh();
}

bool ExportWeights::isAverage() const { return kindAt(currentIndex()) == Kind::Average; }

QString ExportWeights::checkpoint() const { return currentData(kPathRole).toString(); }

ExportWeights::Kind ExportWeights::kindAt(int index) const {
    return static_cast<Kind>(itemData(index, kKindRole).toInt());
}

void ExportWeights::add(Kind kind, const QString& text, const QString& path) {
    addItem(text, static_cast<int>(kind));
    setItemData(count() - 1, path, kPathRole);
    setItemData(count() - 1, path, Qt::ToolTipRole);
}

/// Keeps the choice if it still exists. A trained state that comes or goes brings its own.
void ExportWeights::refresh() {
    const QSignalBlocker blocker(this);
    const bool hadSession = std::exchange(hasSession_, context_.controller.hasSession());
    const Kind kind = kindAt(currentIndex());
    const QString path = checkpoint();
    clear();
    const int64_t step = context_.run.step();
    if (hasSession_ || context_.run.checkpoints().empty())
        add(Kind::Last, context_.run.isActive() || step == 0
                            ? tr("The current weights")
                            : tr("Last: step %1").arg(integerText(step)));
    addCheckpoints();
    if (hasSession_ && context_.project.spec().run.averageDecay > 0)
        add(Kind::Average, tr("Averaged weights (EMA)"));
    add(Kind::AskForFile, tr("From a checkpoint file…"));
    chosen_ = 0;
    for (int i = 0; i < count(); ++i)
        if (hadSession == hasSession_ && kindAt(i) == kind &&
            itemData(i, kPathRole).toString() == path)
            chosen_ = i;
    setCurrentIndex(kindAt(chosen_) == Kind::AskForFile ? 0 : chosen_);
}

/// The best first, then the newest.
void ExportWeights::addCheckpoints() {
    std::vector<CheckpointEntry> entries = context_.run.checkpoints();
    std::ranges::reverse(entries);
    const auto isLast = [this](const CheckpointEntry& entry) {
        return entry.kind == QLatin1String("last") && entry.step == context_.run.step();
    };
    const auto isBest = [](const CheckpointEntry& entry) {
        return entry.kind == QLatin1String("best");
    };
    if (hasSession_) std::erase_if(entries, isLast);  // the same as the first entry
    std::ranges::stable_partition(entries, isBest);
    for (const CheckpointEntry& entry : entries)
        add(Kind::Checkpoint,
            isBest(entry) ? tr("Best: step %1").arg(integerText(entry.step))
            : isLast(entry)
                ? tr("Last: step %1").arg(integerText(entry.step))
                : tr("Step %1, %2").arg(integerText(entry.step), QFileInfo(entry.path).fileName()),
            entry.path);
    for (const QString& file : files_)
        if (findData(file, kPathRole) < 0) add(Kind::Checkpoint, QFileInfo(file).fileName(), file);
}

void ExportWeights::activate() {
    if (kindAt(currentIndex()) != Kind::AskForFile) {
        chosen_ = currentIndex();
        return;
    }
    setCurrentIndex(chosen_);
    const QString path = QFileDialog::getOpenFileName(this, tr("Weights of a checkpoint"));
    if (!path.isEmpty()) chooseFile(path);
}

void ExportWeights::chooseFile(const QString& path) {
    if (!files_.contains(path)) files_ << path;
    refresh();
    setCurrentIndex(std::max(0, findData(path, kPathRole)));
    chosen_ = currentIndex();
}

}  // namespace temper::ui
