// SPDX-License-Identifier: GPL-3.0-or-later
// What a person changes about the inputs and outputs of the model: names, and inputs that are
// constants.
#include <QInputDialog>
#include <optional>

#include "engine/ir/condition_inputs.h"
#include "engine/training/edits/fixed_inputs.h"
#include "engine/training/edits/renaming.h"
#include "ui/document/studio_project.h"
#include "ui/panels/model/model_panel.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"

namespace temper::ui {

void ModelPanel::rename(const QString& from, const QString& to) {
    const std::string current = from.toStdString(), next = to.trimmed().toStdString();
    if (next == current) return showGraphDetails();
    try {
        requireRenamable(*project_.model()->graph, {{current, next}});
    } catch (...) {
        banner_->show(Banner::Kind::Bad,
                      problemFrom(std::current_exception(), tr("The name can't be changed")));
        return showGraphDetails();
    }
    project_.edit(tr("Rename %1 to %2").arg(from, to.trimmed()),
                  withRenamed(project_.spec(), current, next));
}

/// The input that a finding says to set to a constant; empty if it does not.
QString ModelPanel::fixableInput(const Finding& finding) const {
    if (finding.hint.find("--fix-input") == std::string::npos) return {};
    const Graph& model = *project_.model()->graph;
    for (const Node* node : model.nodes()) {
        if (node->name() != finding.node || node->qualifiedOp() != finding.op) continue;
        const auto inputs = conditionInputs(model, *node);
        return inputs.empty() ? QString() : text(inputs.front()->name());
    }
    return {};
}

void ModelPanel::askForConstant(const QString& input) {
    const auto& fixed = project_.spec().fixedInputs;
    const auto now = fixed.find(input.toStdString());
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Constant Input"));
    dialog->setLabelText(tr("Value of %1, in place of data:").arg(input));
    dialog->setTextValue(now == fixed.end() ? QString() : fieldText(now->second));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, input](const QString& value) { fix(input, value); });
    dialog->open();
}

void ModelPanel::fix(const QString& input, const QString& value) {
    const std::optional<double> number = typedNumber(value);
    if (!number) {
        const QString expected = tr("Expected a number, such as 16000.");
        return banner_->show(Banner::Kind::Bad, {tr("The input can't be a constant"),
                                                 tr("'%1' is not a number.").arg(value), expected});
    }
    if (!project_.spec().fixedInputs.contains(input.toStdString())) {
        try {
            requireFixable(*project_.model()->graph, input.toStdString(), *number);
        } catch (...) {
            return banner_->show(
                Banner::Kind::Bad,
                problemFrom(std::current_exception(), tr("The input can't be a constant")));
        }
    }
    project_.edit(tr("Set %1 to %2").arg(input, value.trimmed()),
                  withFixedInput(project_.spec(), input.toStdString(), *number));
}

void ModelPanel::release(const QString& input) {
    TrainingSpec spec = project_.spec();
    spec.fixedInputs.erase(input.toStdString());
    project_.edit(tr("Make %1 an input again").arg(input), spec);
}

}  // namespace temper::ui
