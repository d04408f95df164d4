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

/// The norms of a graph's weights, measured in a task the first time that somebody wants them.
class WeightNorms : public QObject {
    Q_OBJECT
public:
    explicit WeightNorms(TaskRunner& tasks, QObject* parent = nullptr);
    ~WeightNorms() override;

    /// The graph whose weights count from now on; may be null.
    void setGraph(std::shared_ptr<const Graph> graph);
    /// measured() follows; nothing if this graph was asked for before.
    void want();

signals:
    /// By the parameter's name.
    void measured(const std::map<std::string, double>& norms);
    void problemFound(const temper::ui::Problem& problem);

private:
    TaskRunner& tasks_;
    std::shared_ptr<const Graph> graph_;
    int task_ = 0;
    bool isKnown_ = false;
};

}  // namespace temper::ui
