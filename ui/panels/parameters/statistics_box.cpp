// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/statistics_box.h"

#include "engine/training/artifacts/frozen_statistics.h"
#include "ui/document/studio_project.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

StatisticsBox::StatisticsBox(StudioProject& project, QWidget* parent)
    : QCheckBox(parent), project_(project) {
    setObjectName(QStringLiteral("keepStatistics"));
    setAccessibleName(tr("Batch normalization keeps its statistics"));
    setToolTip(
        tr("Batch normalization uses the mean and variance of each batch, and keeps running ones "
           "for later use. With small batches, or if only the last layers train, the running ones "
           "are better: training then computes what the exported model will."));
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
    setText(kept == 0 || kept == all
                ? tr("Batch normalization keeps its statistics (%Ln layers)", nullptr,
                     static_cast<int>(all))
                : tr("Batch normalization keeps its statistics (%1 of %Ln layers)", nullptr,
                     static_cast<int>(all))
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
    project_.edit(keeps ? tr("Keep batch statistics") : tr("Learn batch statistics"), spec);
}

}  // namespace temper::ui
