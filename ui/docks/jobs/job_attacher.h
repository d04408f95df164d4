// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "engine/jobs/job_client.h"
#include "ui/messages/problem.h"
#include "ui/panels/panel.h"

namespace temper::ui {

/// Shows a job in the window: opens its project, of which a job of another machine gets a copy
/// here, and attaches the window to the job.
class JobAttacher : public QObject {
    Q_OBJECT
public:
    explicit JobAttacher(const PanelContext& context, QObject* parent = nullptr);

    void attach(const ServerAddress& address, const JobStatus& job);

signals:
    void failed(const temper::ui::Problem& problem);

private:
    struct Wanted {
        ServerAddress address;
        int64_t job = 0;
        int64_t run = 0;  ///< in the history of the project; 0: not there
        QString folder;
    };

    void fetch(const ServerAddress& address, const JobStatus& job);
    void show(const Wanted& wanted);
    bool isOpen(const QString& folder) const;
    void attachNow();

    PanelContext context_;
    std::optional<Wanted> wanted_;  ///< until its project is open
};

}  // namespace temper::ui
