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

template <typename P>
QWidget* create(const PanelContext& context, QWidget* parent) {
    return new P(context, parent);
}

}  // namespace

std::vector<PanelInfo> panels() {
    return {
        {"model", tr("Model"), "model", modelStatus, create<ModelPanel>, "graph"},
        {"parameters", tr("Parameters"), "freeze", parametersStatus, create<ParametersPanel>,
         "parameter"},
        {"objective", tr("Objective"), "loss", objectiveStatus, create<ObjectivePanel>, "loss"},
        {"data", tr("Data"), "data", dataStatus, create<DataPanel>, "sample"},
        {"train", tr("Train"), "train", trainStatus, create<TrainPanel>, "step"},
        {"evaluate", tr("Evaluate"), "search", evaluateStatus, create<EvaluatePanel>, "accuracy"},
        {"export", tr("Export"), "export", exportStatus, create<ExportPanel>, "export"},
    };
}

}  // namespace temper::ui
