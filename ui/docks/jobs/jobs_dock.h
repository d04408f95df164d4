// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "engine/jobs/job_client.h"
#include "ui/docks/dock.h"
#include "ui/messages/problem.h"
#include "ui/tasks/task_runner.h"

class QAction;
class QLabel;
class QTableView;

namespace temper::ui {

class Banner;
class JobAttacher;
class JobModel;
class Placeholder;

/// The jobs of a server, of this machine or another: what runs and waits there. Shows a job in the
/// window, controls it, and adds the open project to the queue.
class JobsDock : public QWidget {
    Q_OBJECT
public:
    explicit JobsDock(const PanelContext& context, QWidget* parent = nullptr);

    JobModel* model() const { return model_; }
    /// Lists the jobs of this server from now on.
    void connectTo(const ServerAddress& address);
    /// Why no job is listed, or what can be done.
    QString explanation() const;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* buildTools();
    QAction* addCommand(const QString& id, const QString& title, const QString& icon,
                        void (JobsDock::*slot)());
    void connectHere();
    void startServer();
    void askServer();
    void refresh();
    void showJobs(std::vector<JobStatus> jobs);
    void showNothing(const QString& why, bool canStart);
    void showProblem(const Problem& problem);
    void addProject();
    void attach();
    void detach();
    void pauseOrResume();
    void stop();
    void moveFirst();
    void remove();
    void request(JobRequest::Kind kind);
    const JobStatus* selected() const;
    void updateCommands();
    /// Also if the window closes before its turn. Then lists the jobs again.
    void callServer(const QString& failure, std::function<void(JobClient&)> call);

    PanelContext context_;
    JobModel* model_;
    JobAttacher* attacher_;
    QTableView* table_;
    Placeholder* empty_;
    Banner* banner_;
    QLabel* server_ = nullptr;
    QString explanation_;
    QTimer timer_;
    TaskRunner calls_;  ///< of the server, in their order
    std::optional<ServerAddress> address_;
    int asking_ = 0;            ///< the task that lists the jobs; 0: none
    bool isConnected_ = false;  ///< the server answered last
    QAction* add_;
    QAction* attach_;
    QAction* detach_;
    QAction* pause_;
    QAction* stop_;
    QAction* first_;
    QAction* remove_;
};

DockInfo jobsDock();

}  // namespace temper::ui
