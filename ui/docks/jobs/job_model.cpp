// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/jobs/job_model.h"

#include <QFileInfo>
#include <algorithm>

#include "ui/messages/hint_text.h"
#include "ui/messages/problem.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/severity.h"

namespace temper::ui {
namespace {

QString stepsText(const JobStatus& job) {
    if (job.totalSteps == 0) return {};
    return JobModel::tr("%L1 of %L2").arg(job.step).arg(job.totalSteps);
}

QString problemText(const JobStatus& job) {
    const QString hint = hintText(job.job.hint);
    return text(job.job.problem) + (hint.isEmpty() ? QString() : QLatin1Char('\n') + hint);
}

}  // namespace

JobModel::JobModel(QObject* parent) : QAbstractTableModel(parent) {}

void JobModel::setJobs(std::vector<JobStatus> jobs) {
    const auto idOf = [](const JobStatus& job) { return job.job.id; };
    const bool areSame = std::ranges::equal(jobs, jobs_, {}, idOf, idOf);
    if (!areSame) beginResetModel();
    jobs_ = std::move(jobs);
    if (!areSame) return endResetModel();
    if (!jobs_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

const JobStatus* JobModel::job(int row) const {
    return row >= 0 && row < rowCount() ? &jobs_[static_cast<size_t>(row)] : nullptr;
}

int JobModel::rowOf(int64_t id) const {
    const auto found =
        std::ranges::find(jobs_, id, [](const JobStatus& job) { return job.job.id; });
    return found == jobs_.end() ? -1 : static_cast<int>(found - jobs_.begin());
}

int JobModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(jobs_.size());
}

int JobModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant JobModel::data(const QModelIndex& index, int role) const {
    const JobStatus* status = index.isValid() ? job(index.row()) : nullptr;
    if (status == nullptr) return {};
    const JobState state = stateOf(*status);
    if (index.column() == State && role == Qt::DecorationRole &&
        (state == JobState::Failed || state == JobState::GivenUp))
        return severityIcon(Severity::Error);
    if (role == Qt::ToolTipRole)
        return index.column() == Project ? text(status->job.project.string())
                                         : problemText(*status);
    if (role == Qt::TextAlignmentRole && index.column() == Steps)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Number: return QString::number(status->job.id);
        case State: return jobStateLabel(state);
        case Steps: return stepsText(*status);
        case Run: return text(status->name);
        case Project: return text(status->job.project.filename().string());
        default: return {};
    }
}

QVariant JobModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Number: return tr("Job");
        case State: return tr("State");
        case Steps: return tr("Steps");
        case Run: return tr("Run");
        case Project: return tr("Project");
        default: return {};
    }
}

QString jobStateLabel(JobState state) {
    switch (state) {
        case JobState::Waiting: return JobModel::tr("Waiting");
        case JobState::Running: return JobModel::tr("Running");
        case JobState::Paused: return JobModel::tr("Paused");
        case JobState::Finished: return JobModel::tr("Finished");
        case JobState::Stopped: return JobModel::tr("Stopped");
        case JobState::Failed: return JobModel::tr("Failed");
        case JobState::GivenUp: break;
    }
    return JobModel::tr("Given up");
}

}  // namespace temper::ui
