// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/hyper_form.h"

#include <QCheckBox>
#include <QFormLayout>
#include <algorithm>

#include "ui/explain/explain.h"
#include "ui/explain/terms.h"
#include "ui/messages/problem.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/list_edit.h"
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
        const std::string& key = parameter.key;
        const auto set = selection.values.find(key);
        const double value = set == selection.values.end() ? parameter.defaultValue : set->second;
        switch (parameter.kind) {
            case HyperParameter::Kind::Number: fields_.at(key)->setValue(value); break;
            case HyperParameter::Kind::Switch: switches_.at(key)->setChecked(value != 0); break;
            case HyperParameter::Kind::List: {
                const auto list = selection.lists.find(key);
                lists_.at(key)->setValues(list == selection.lists.end() ? std::vector<double>{}
                                                                        : list->second);
                break;
            }
        }
    }
}

void HyperForm::rebuild(const Choice& choice) {
    while (layout_->rowCount() > 0) layout_->removeRow(0);
    fields_.clear();
    switches_.clear();
    lists_.clear();
    choice_ = choice.key;
    for (const HyperParameter& parameter : choice.hyperParameters) {
        QWidget* field = makeField(parameter);
        field->setObjectName(text(parameter.key));
        const QString term = termOfChoice(QStringLiteral("number"), text(parameter.key));
        if (!term.isEmpty()) explain(field, term);
        field->setAccessibleName(engineText(parameter.label));
        field->setAccessibleDescription(engineText(parameter.help));
        const QString unit =
            parameter.unit.empty() ? QString() : " (" + engineText(parameter.unit) + ")";
        auto* caption = makeLabel(engineText(parameter.label) + unit, "", this);
        caption->setToolTip(engineText(parameter.help));
        caption->setBuddy(field);
        layout_->addRow(caption, field);
    }
}

QWidget* HyperForm::makeField(const HyperParameter& parameter) {
    switch (parameter.kind) {
        case HyperParameter::Kind::Switch: return makeSwitch(parameter);
        case HyperParameter::Kind::List: return makeList(parameter);
        case HyperParameter::Kind::Number: break;
    }
    return makeNumber(parameter);
}

QWidget* HyperForm::makeNumber(const HyperParameter& parameter) {
    auto* field =
        new NumberEdit(NumberEdit::Kind::Real, parameter.minimum, parameter.maximum, this);
    field->setMaximumWidth(em(this, 9));
    if (!parameter.zero.empty()) field->setWord(0, engineText(parameter.zero));
    connect(field, &NumberEdit::valueEdited, this,
            [this, key = text(parameter.key), label = engineText(parameter.label)](double value) {
                emit valueEdited(key, label, value);
            });
    fields_[parameter.key] = field;
    return field;
}

QWidget* HyperForm::makeSwitch(const HyperParameter& parameter) {
    auto* field = new QCheckBox(this);
    connect(field, &QCheckBox::clicked, this,
            [this, key = text(parameter.key), label = engineText(parameter.label)](bool on) {
                emit valueEdited(key, label, on ? 1 : 0);
            });
    switches_[parameter.key] = field;
    return field;
}

QWidget* HyperForm::makeList(const HyperParameter& parameter) {
    auto* field = new ListEdit(parameter.minimum, parameter.maximum, this);
    connect(field, &ListEdit::valuesEdited, this,
            [this, key = text(parameter.key), label = engineText(parameter.label)](
                const std::vector<double>& list) { emit listEdited(key, label, list); });
    lists_[parameter.key] = field;
    return field;
}

const Choice* findChoice(const std::vector<Choice>& choices, const std::string& key) {
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&key](const Choice& choice) { return choice.key == key; });
    return found == choices.end() ? nullptr : &*found;
}

}  // namespace temper::ui
