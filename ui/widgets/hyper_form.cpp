// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/hyper_form.h"

#include <QFormLayout>
#include <algorithm>

#include "ui/project/problem.h"
#include "ui/theme/theme.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {

HyperForm::HyperForm(QWidget* parent) : QWidget(parent), layout_(new QFormLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
}

void HyperForm::show(const Choice& choice, const Selection& selection) {
    if (choice.key != choice_) rebuild(choice);
    for (const HyperParameter& parameter : choice.hyperParameters) {
        const auto value = selection.values.find(parameter.key);
        fields_.at(parameter.key)
            ->setValue(value == selection.values.end() ? parameter.defaultValue : value->second);
    }
}

void HyperForm::rebuild(const Choice& choice) {
    while (layout_->rowCount() > 0) layout_->removeRow(0);
    fields_.clear();
    choice_ = choice.key;
    for (const HyperParameter& parameter : choice.hyperParameters) {
        auto* field =
            new NumberEdit(NumberEdit::Kind::Real, parameter.minimum, parameter.maximum, this);
        field->setMaximumWidth(em(this, 9));
        field->setObjectName(text(parameter.key));
        field->setAccessibleName(text(parameter.label));
        field->setAccessibleDescription(text(parameter.help));
        const QString label = text(parameter.label);
        const QString unit = parameter.unit.empty() ? QString() : " (" + text(parameter.unit) + ")";
        auto* caption = makeLabel(label + unit, "", this);
        caption->setToolTip(text(parameter.help));
        caption->setBuddy(field);
        layout_->addRow(caption, field);
        const QString key = text(parameter.key);
        connect(field, &NumberEdit::valueEdited, this,
                [this, key, label](double value) { emit valueEdited(key, label, value); });
        fields_[parameter.key] = field;
    }
}

const Choice* findChoice(const std::vector<Choice>& choices, const std::string& key) {
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&key](const Choice& choice) { return choice.key == key; });
    return found == choices.end() ? nullptr : &*found;
}

}  // namespace temper::ui
