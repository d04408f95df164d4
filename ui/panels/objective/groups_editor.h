// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

class QCheckBox;
class QLabel;
class QPushButton;
class QTableView;

namespace temper {
struct ParameterGroup;
struct ParameterMove;
}  // namespace temper

namespace temper::ui {

class GroupModel;
class NewGroupArea;
class StudioProject;

/// Parameters that are trained otherwise than the rest: rates and decay by pattern. Parameters that
/// are dragged onto a group move there.
class GroupsEditor : public QWidget {
    Q_OBJECT
public:
    explicit GroupsEditor(StudioProject& project, QWidget* parent = nullptr);

    void refresh();
    /// The parameters are listed beside: says that they can be dragged here, and leaves out what
    /// is about all groups.
    void takeParameters();
    /// Moves parameters and shows the group that they are in now; a new one's rate is edited at
    /// once where `edits`.
    void move(const ParameterMove& move, bool edits);

private:
    void buildTable();
    QWidget* buildButtons();
    void add();
    void remove();
    void moveUp();
    void edit(const QString& what, const std::vector<ParameterGroup>& groups);
    int currentRow() const;
    void refreshButtons();

    StudioProject& project_;
    GroupModel* model_;
    QTableView* table_;
    QCheckBox* decays_;
    QPushButton* remove_ = nullptr;
    QPushButton* up_ = nullptr;
    QLabel* frozen_;
    NewGroupArea* area_;
};

}  // namespace temper::ui
