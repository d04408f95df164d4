// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCheckBox;
class QPushButton;
class QTableView;

namespace temper {
struct ParameterGroup;
}

namespace temper::ui {

class GroupModel;
class StudioProject;

/// Parameters that are trained otherwise than the rest: rates and decay by pattern.
class GroupsEditor : public QWidget {
    Q_OBJECT
public:
    explicit GroupsEditor(StudioProject& project, QWidget* parent = nullptr);

    void refresh();

private:
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
};

}  // namespace temper::ui
