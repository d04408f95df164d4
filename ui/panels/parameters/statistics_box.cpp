// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/statistics_box.h"

#include "engine/training/artifacts/frozen_statistics.h"
#include "ui/document/studio_project.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

StatisticsBox::StatisticsBox(StudioProject& project, QWidget* parent)
    : QCheckBox(parent), project_(project) {
    setObjectName(QStringLiteral("keepStatistics"));
    setAccessibleName(tr("Freeze batch-norm statistics"));
    setToolTip(
        tr("In training, batch normalization uses the mean and variance of each batch and updates "
           "running averages of them for inference. If batches are small or only the last layers "
           "train, freeze the running averages: the model then computes the same in training as "
           "after export."));
    connect(this, &QCheckBox::clicked, this, &StatisticsBox::choose);
}

void StatisticsBox::refresh() {
    const auto& model = project_.model();
    const auto nodesOf = [&](const std::vector<std::string>& choices) {
        return model ? resolveFrozenStatistics(*model->graph, choices).outputs.size() : size_t{0};
    };
    const size_t all = nodesOf({"*"});
    const size_t kept = nodesOf(project_.spec().artifacts.frozenStatistics);
    setVisible(all > 0);
    setCheckState(kept == 0 ? Qt::Unchecked : kept == all ? Qt::Checked : Qt::PartiallyChecked);
    setText(
        kept == 0 || kept == all
            ? tr("Freeze batch-norm statistics (%Ln layers)", nullptr, static_cast<int>(all))
            : tr("Freeze batch-norm statistics (%1 of %Ln layers)", nullptr, static_cast<int>(all))
                  .arg(integerText(static_cast<int64_t>(kept))));
}

/// Half ticked is only displayed, never chosen by a click.
void StatisticsBox::nextCheckState() {
    setCheckState(checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void StatisticsBox::choose(bool keeps) {
    TrainingSpec spec = project_.spec();
    spec.artifacts.frozenStatistics.clear();
    if (keeps) spec.artifacts.frozenStatistics.emplace_back("*");
    project_.edit(keeps ? tr("Freeze batch-norm statistics") : tr("Unfreeze batch-norm statistics"),
                  spec);
}

}  // namespace temper::ui
