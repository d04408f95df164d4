// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/groups_editor.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/training/parameters/trainable_choice.h"
#include "ui/document/studio_project.h"
#include "ui/panels/objective/group_model.h"
#include "ui/panels/objective/group_moves.h"
#include "ui/panels/objective/new_group_area.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

std::vector<GroupMember> membersOf(const StudioProject& project) {
    std::vector<GroupMember> members;
    const auto& model = project.model();
    if (!model) return members;
    const auto trained = trainedParameters(model->parameters, project.spec().artifacts);
    for (const ParameterInfo& parameter : model->parameters) {
        if (parameter.parameterClass != ParameterClass::Trainable) continue;
        members.push_back({parameter.name, numElements(parameter.shape),
                           trained.contains(parameter.name), parameter.parameters});
    }
    return members;
}

}  // namespace

GroupsEditor::GroupsEditor(StudioProject& project, QWidget* parent)
    : QWidget(parent),
      project_(project),
      model_(new GroupModel(this)),
      table_(makeTable(model_, this)),
      decays_(new QCheckBox(tr("Also decay biases and norm scales"), this)),
      frozen_(makeLabel({}, "muted", this)),
      area_(new NewGroupArea(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.4));
    layout->addWidget(decays_);
    layout->addWidget(buildButtons());
    layout->addWidget(table_);
    layout->addWidget(frozen_);
    layout->addWidget(area_);
    buildTable();
    frozen_->setObjectName(QStringLiteral("frozenInGroups"));
    frozen_->setWordWrap(true);
    area_->hide();
    decays_->setObjectName(QStringLiteral("decayBiasesAndNorms"));
    connect(decays_, &QCheckBox::clicked, this, [this](bool checked) {
        TrainingSpec spec = project_.spec();
        spec.artifacts.decayBiasesAndNorms = checked;
        project_.edit(checked ? tr("Decay biases and norms") : tr("Don't decay biases and norms"),
                      spec);
    });
    connect(model_, &GroupModel::groupsEdited, this,
            [this](const std::vector<ParameterGroup>& groups) {
                edit(tr("Change a parameter group"), groups);
            });
    connect(model_, &GroupModel::parametersDropped, this,
            [this](const std::set<std::string>& names, size_t to) {
                move({names, to}, false);
            });
    connect(area_, &NewGroupArea::dropped, this, [this](const std::set<std::string>& names) {
        move({names, model_->groups().size()}, false);
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &GroupsEditor::refreshButtons);
}

void GroupsEditor::buildTable() {
    table_->setObjectName(QStringLiteral("groupTable"));
    table_->setAccessibleName(tr("Parameter groups"));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    table_->setDragDropMode(QAbstractItemView::DropOnly);
    table_->horizontalHeader()->setSectionResizeMode(GroupModel::Pattern, QHeaderView::Stretch);
    table_->verticalHeader()->show();
    table_->setFixedHeight(em(this, 7));
}

QWidget* GroupsEditor::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    auto* caption = makeLabel(tr("Parameter groups"), "muted", bar);
    caption->setToolTip(
        tr("A group sets the learning rate, as a factor of the run's, and the weight decay of all "
           "parameters whose names match its pattern. If several groups match, the first one "
           "applies.") +
        '\n' +
        tr("Separate patterns with commas. A pattern after ! excludes names: conv*, !conv1.bias"));
    row->addWidget(caption, 1);
    const auto button = [&](const QString& label, const char* name, void (GroupsEditor::*slot)()) {
        auto* made = new QPushButton(label, bar);
        made->setObjectName(QString::fromLatin1(name));
        connect(made, &QPushButton::clicked, this, slot);
        row->addWidget(made);
        return made;
    };
    button(tr("Add"), "addGroup", &GroupsEditor::add);
    up_ = button(tr("Up"), "raiseGroup", &GroupsEditor::moveUp);
    remove_ = button(tr("Remove"), "removeGroup", &GroupsEditor::remove);
    up_->setAccessibleName(tr("Move the group up"));
    remove_->setAccessibleName(tr("Remove the group"));
    return bar;
}

void GroupsEditor::refresh() {
    const ArtifactSpec& spec = project_.spec().artifacts;
    model_->setGroups(spec.parameterGroups, membersOf(project_));
    decays_->setChecked(spec.decayBiasesAndNorms);
    table_->setVisible(!spec.parameterGroups.empty());
    const auto frozen = static_cast<int>(model_->frozenMembers());
    frozen_->setText(
        tr("%Ln parameters in these groups are frozen. The group settings apply after you unfreeze "
           "them.",
           nullptr, frozen));
    frozen_->setVisible(frozen > 0);
    refreshButtons();
}

void GroupsEditor::takeParameters() {
    decays_->hide();
    area_->show();
}

void GroupsEditor::move(const ParameterMove& move, bool edits) {
    const bool isNew = move.to == model_->groups().size();
    const std::optional<size_t> group = moveToGroup(project_, move);
    if (!group) return;
    const QModelIndex rate = model_->index(static_cast<int>(*group), GroupModel::Rate);
    table_->setCurrentIndex(rate);
    if (isNew && edits) table_->edit(rate);
}

void GroupsEditor::refreshButtons() {
    up_->setEnabled(currentRow() > 0);
    remove_->setEnabled(currentRow() >= 0);
}

int GroupsEditor::currentRow() const {
    const int row = table_->currentIndex().row();
    return row < model_->rowCount() ? row : -1;
}

void GroupsEditor::edit(const QString& what, const std::vector<ParameterGroup>& groups) {
    TrainingSpec spec = project_.spec();
    spec.artifacts.parameterGroups = groups;
    project_.edit(what, spec);
}

/// Adds a group for all biases: a pattern useful for most models.
void GroupsEditor::add() {
    auto groups = model_->groups();
    groups.push_back({"*bias*", 1, std::nullopt});
    edit(tr("Add a parameter group"), groups);
    const QModelIndex added = model_->index(model_->rowCount() - 1, GroupModel::Pattern);
    table_->setCurrentIndex(added);
    table_->edit(added);
}

void GroupsEditor::remove() {
    const int row = currentRow();
    if (row < 0) return;
    auto groups = model_->groups();
    groups.erase(groups.begin() + row);
    edit(tr("Remove a parameter group"), groups);
}

void GroupsEditor::moveUp() {
    const int row = currentRow();
    if (row < 1) return;
    auto groups = model_->groups();
    std::swap(groups[static_cast<size_t>(row)], groups[static_cast<size_t>(row) - 1]);
    edit(tr("Move a parameter group"), groups);
    table_->setCurrentIndex(model_->index(row - 1, GroupModel::Pattern));
}

}  // namespace temper::ui
