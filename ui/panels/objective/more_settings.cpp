// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/more_settings.h"

#include <QToolButton>
#include <algorithm>

#include "ui/document/studio_project.h"

namespace temper::ui {
namespace {

double numberOf(const HyperParameter& parameter, const Selection& selection) {
    const auto set = selection.values.find(parameter.key);
    return set == selection.values.end() ? parameter.defaultValue : set->second;
}

std::vector<double> listOf(const HyperParameter& parameter, const Selection& selection) {
    const auto set = selection.lists.find(parameter.key);
    return set == selection.lists.end() ? std::vector<double>{} : set->second;
}

}  // namespace

MoreSettings::MoreSettings(const QString& what, QWidget* content, QWidget* parent)
    : Fold({}, content, parent), what_(what) {
    showChanged(0, 0);
}

void MoreSettings::showChanged(int count, int document) {
    openIfNeeded(count > 0, document);
    setTitle(count == 0 ? tr("More settings") : tr("More settings (%Ln changed)", nullptr, count));
    button()->setAccessibleName(what_ + QStringLiteral(": ") + button()->text());
}

TrainingSpec usualChoices(const StudioProject& project) {
    return project.lesson() ? project.lesson()->spec : TrainingSpec();
}

int changedHyperParameters(const Choice& choice, const Selection& now, const Selection& usual) {
    const Selection standard = usual.key == now.key ? usual : Selection();
    const auto isChanged = [&](const HyperParameter& parameter) {
        return parameter.kind == HyperParameter::Kind::List
                   ? listOf(parameter, now) != listOf(parameter, standard)
                   : numberOf(parameter, now) != numberOf(parameter, standard);
    };
    return static_cast<int>(std::ranges::count_if(choice.hyperParameters, isChanged));
}

}  // namespace temper::ui
