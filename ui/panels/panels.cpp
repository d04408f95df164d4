// SPDX-License-Identifier: GPL-3.0-or-later

#include "ui/panels/data/data_panel.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/export/export_panel.h"
#include "ui/panels/model/model_panel.h"
#include "ui/panels/objective/objective_panel.h"
#include "ui/panels/panel.h"
#include "ui/panels/parameters/parameters_panel.h"
#include "ui/panels/train/train_panel.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// The info of the panel P, which determines its own status.
template <typename P>
PanelInfo panel(const QString& id, const QString& title, const QString& icon, const QString& term) {
    return {id,
            title,
            icon,
            P::status,
            [](const PanelContext& context, QWidget* parent) -> QWidget* {
                return new P(context, parent);
            },
            term};
}

}  // namespace

std::vector<PanelInfo> panels() {
    return {
        panel<ModelPanel>("model", tr("Model"), "model", "graph"),
        panel<ParametersPanel>("parameters", tr("Parameters"), "freeze", "parameter"),
        panel<ObjectivePanel>("objective", tr("Objective"), "loss", "loss"),
        panel<DataPanel>("data", tr("Data"), "data", "sample"),
        panel<TrainPanel>("train", tr("Train"), "train", "step"),
        panel<EvaluatePanel>("evaluate", tr("Evaluate"), "search", "accuracy"),
        panel<ExportPanel>("export", tr("Export"), "export", "export"),
    };
}

}  // namespace temper::ui
