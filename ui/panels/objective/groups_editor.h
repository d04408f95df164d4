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

/// Parameters trained differently from the rest: rates and decay by pattern. Parameters dragged
/// onto a group move there.
class GroupsEditor : public QWidget {
    Q_OBJECT
public:
    explicit GroupsEditor(StudioProject& project, QWidget* parent = nullptr);

    void refresh();
    /// For use beside a list of parameters: says that they can be dragged here, and leaves out
    /// controls for all groups.
    void takeParameters();
    /// Moves parameters and shows their new group; if `edits`, editing of a new group's rate starts
    /// at once.
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
