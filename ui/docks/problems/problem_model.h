// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/checks/problem_list.h"

namespace temper::ui {

/// The problems of problemsOf(), one row each.
class ProblemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Code, Node, Op, What, kColumns };

    explicit ProblemModel(QObject* parent = nullptr);

    void setProblems(std::vector<ListedProblem> problems);
    const ListedProblem& problem(int row) const { return problems_[static_cast<size_t>(row)]; }
    int count(Severity severity) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<ListedProblem> problems_;
};

}  // namespace temper::ui
