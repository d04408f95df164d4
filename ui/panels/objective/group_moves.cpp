// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/group_moves.h"

#include <QCoreApplication>
#include <QMenu>

#include "ui/document/studio_project.h"
#include "ui/messages/problem.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// Maximum length of a group's patterns in menus and cells.
constexpr qsizetype kTitleLength = 36;

struct GroupMoves {
    Q_DECLARE_TR_FUNCTIONS(temper::ui::GroupMoves)
};

QString shortened(const QString& text) {
    return text.size() <= kTitleLength ? text : text.left(kTitleLength - 1) + QChar(0x2026);
}

/// The text for undo: the parameter's name, or the number of parameters.
QString moveText(const std::vector<ParameterGroup>& groups, const ParameterMove& move) {
    const int count = static_cast<int>(move.names.size());
    const QString name = text(*move.names.begin());
    if (!move.to) {
        if (count == 1) return GroupMoves::tr("Remove %1 from its group").arg(name);
        return GroupMoves::tr("Remove %Ln parameters from their groups", nullptr, count);
    }
    if (*move.to == groups.size()) {
        if (count == 1) return GroupMoves::tr("New group with %1").arg(name);
        return GroupMoves::tr("New group with %Ln parameters", nullptr, count);
    }
    const QString group = groupTitle(groups, *move.to);
    if (count == 1) return GroupMoves::tr("Move %1 to group %2").arg(name, group);
    return GroupMoves::tr("Move %Ln parameters to group %1", nullptr, count).arg(group);
}

std::vector<std::string> allNames(const StudioProject& project) {
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : project.model()->parameters)
        if (parameter.parameterClass == ParameterClass::Trainable) names.push_back(parameter.name);
    return names;
}

ModuleNames moduleNames(const StudioProject& project) {
    return project.model() ? moduleNamesOf(project.model()->parameters) : ModuleNames();
}

/// The group that contains all names; no value if they are in several.
std::optional<std::optional<size_t>> commonGroup(const StudioProject& project,
                                                 const std::set<std::string>& names) {
    const GroupMembership membership(project.spec().artifacts.parameterGroups,
                                     moduleNames(project));
    std::set<std::optional<size_t>> found;
    for (const std::string& name : names) found.insert(membership.groupOf(name));
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

}  // namespace

QString groupTitle(const std::vector<ParameterGroup>& groups, size_t index) {
    return GroupMoves::tr("%1 · %2", "place and patterns of a parameter group")
        .arg(integerText(static_cast<int64_t>(index) + 1), shortened(text(groups[index].pattern)));
}

std::set<std::string> groupable(const StudioProject& project, const std::set<std::string>& names) {
    std::set<std::string> found;
    if (!project.model()) return found;
    for (const std::string& name : allNames(project))
        if (names.contains(name)) found.insert(name);
    return found;
}

std::optional<size_t> moveToGroup(StudioProject& project, const ParameterMove& move) {
    const ParameterMove possible{groupable(project, move.names), move.to};
    const auto& groups = project.spec().artifacts.parameterGroups;
    if (possible.names.empty() || possible.to.value_or(0) > groups.size()) return std::nullopt;
    TrainingSpec spec = project.spec();
    spec.artifacts.parameterGroups =
        withParametersMoved(groups, allNames(project), possible, moduleNames(project));
    project.edit(moveText(groups, possible), spec);
    return GroupMembership(project.spec().artifacts.parameterGroups, moduleNames(project))
        .groupOf(*possible.names.begin());
}

std::unique_ptr<QMenu> makeGroupMenu(const StudioProject& project,
                                     const std::set<std::string>& names,
                                     const std::function<void(const ParameterMove&)>& chosen,
                                     QWidget* parent) {
    auto menu = std::make_unique<QMenu>(GroupMoves::tr("Move to group"), parent);
    menu->setObjectName(QStringLiteral("groupMenu"));
    menu->setAccessibleName(GroupMoves::tr("Move to group"));
    const auto& groups = project.spec().artifacts.parameterGroups;
    const auto now = commonGroup(project, names);
    const auto add = [&](const QString& title, std::optional<size_t> to) {
        // An ampersand would underline what follows it.
        QAction* action = menu->addAction(QString(title).replace('&', QLatin1String("&&")));
        action->setCheckable(true);
        action->setChecked(now && *now == to);
        QObject::connect(action, &QAction::triggered, menu.get(), [chosen, names, to] {
            chosen({names, to});
        });
    };
    for (size_t i = 0; i < groups.size(); ++i) add(groupTitle(groups, i), i);
    if (!groups.empty()) menu->addSeparator();
    add(GroupMoves::tr("New group…"), groups.size());
    add(GroupMoves::tr("None", "of the parameter groups"), std::nullopt);
    menu->setEnabled(!names.empty());
    return menu;
}

}  // namespace temper::ui
