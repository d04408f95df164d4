// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/jobs/job_status.h"

namespace temper::ui {

/// The jobs of a server, in the order of its queue.
class JobModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Number, State, Steps, Run, Project, kColumns };

    explicit JobModel(QObject* parent = nullptr);

    void setJobs(std::vector<JobStatus> jobs);
    /// Null if there is no such row.
    const JobStatus* job(int row) const;
    /// -1 if the job is not in the list.
    int rowOf(int64_t id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<JobStatus> jobs_;
};

/// "Given up", ...
QString jobStateLabel(JobState state);

}  // namespace temper::ui
