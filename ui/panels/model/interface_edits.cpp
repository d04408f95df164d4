// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/interface_edits.h"

#include <QInputDialog>
#include <optional>

#include "engine/ir/condition_inputs.h"
#include "engine/training/edits/fixed_inputs.h"
#include "engine/training/edits/renaming.h"
#include "ui/document/studio_project.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

InterfaceEdits::InterfaceEdits(StudioProject& project, QWidget* page)
    : QObject(page), project_(project), page_(page) {}

bool InterfaceEdits::rename(const QString& from, const QString& to) {
    const std::string current = from.toStdString(), next = to.trimmed().toStdString();
    if (next == current) return false;
    try {
        requireRenamable(*project_.model()->graph, {{current, next}});
    } catch (...) {
        emit refused(problemFrom(std::current_exception(), tr("The name can't be changed")));
        return false;
    }
    project_.edit(tr("Rename %1 to %2").arg(from, to.trimmed()),
                  withRenamed(project_.spec(), current, next));
    return true;
}

QString InterfaceEdits::fixableInput(const Finding& finding) const {
    if (finding.hint.find("--fix-input") == std::string::npos) return {};
    const Graph& model = *project_.model()->graph;
    for (const Node* node : model.nodes()) {
        if (node->name() != finding.node || node->qualifiedOp() != finding.op) continue;
        const auto inputs = conditionInputs(model, *node, project_.ops()->catalog);
        return inputs.empty() ? QString() : text(inputs.front()->name());
    }
    return {};
}

void InterfaceEdits::askForConstant(const QString& input) {
    const auto& fixed = project_.spec().fixedInputs;
    const auto now = fixed.find(input.toStdString());
    auto* dialog = new QInputDialog(page_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Constant input"));
    dialog->setLabelText(tr("Value of %1, instead of data:").arg(input));
    dialog->setTextValue(now == fixed.end() ? QString() : fieldText(now->second));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, input](const QString& value) { fix(input, value); });
    dialog->open();
}

void InterfaceEdits::fix(const QString& input, const QString& value) {
    const std::optional<double> number = typedNumber(value);
    if (!number)
        return emit refused({tr("The input can't be a constant"),
                             tr("'%1' is not a number.").arg(value),
                             tr("Expected a number, such as 16000.")});
    if (!project_.spec().fixedInputs.contains(input.toStdString())) {
        try {
            requireFixable(*project_.model()->graph, input.toStdString(), *number);
        } catch (...) {
            return emit refused(
                problemFrom(std::current_exception(), tr("The input can't be a constant")));
        }
    }
    project_.edit(tr("Set %1 to %2").arg(input, value.trimmed()),
                  withFixedInput(project_.spec(), input.toStdString(), *number));
}

void InterfaceEdits::release(const QString& input) {
    TrainingSpec spec = project_.spec();
    spec.fixedInputs.erase(input.toStdString());
    project_.edit(tr("Make %1 an input again").arg(input), spec);
}

}  // namespace temper::ui
