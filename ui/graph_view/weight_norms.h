// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <string>

#include "engine/ir/graph.h"
#include "ui/messages/problem.h"

namespace temper::ui {

class TaskRunner;

/// The norms of a graph's weights, measured in a task on first request.
class WeightNorms : public QObject {
    Q_OBJECT
public:
    explicit WeightNorms(TaskRunner& tasks, QObject* parent = nullptr);
    ~WeightNorms() override;

    /// Sets the graph whose weights are measured from now on; may be null.
    void setGraph(std::shared_ptr<const Graph> graph);
    /// Requests the norms: measured() follows. Does nothing if they were already requested for this
    /// graph.
    void want();

signals:
    /// `norms`: by parameter name.
    void measured(const std::map<std::string, double>& norms);
    void problemFound(const temper::ui::Problem& problem);

private:
    TaskRunner& tasks_;
    std::shared_ptr<const Graph> graph_;
    int task_ = 0;
    bool isKnown_ = false;
};

}  // namespace temper::ui
