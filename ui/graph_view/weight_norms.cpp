// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/weight_norms.h"

#include "engine/data/tensor_statistics.h"
#include "ui/graph_view/graph_document.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

WeightNorms::WeightNorms(TaskRunner& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {}

WeightNorms::~WeightNorms() { tasks_.cancel(task_); }

void WeightNorms::setGraph(std::shared_ptr<const Graph> graph) {
    tasks_.cancel(task_);
    graph_ = std::move(graph);
    isKnown_ = false;
}

void WeightNorms::want() {
    if (isKnown_ || !graph_) return;
    isKnown_ = true;
    task_ = tasks_.run(
        tr("Computing norms of weights"), tr("The norms could not be computed"),
        [graph = graph_](std::stop_token stop) {
            std::map<std::string, double> norms;
            for (const Value* value : graph->initializers())
                if (mayBeParameter(*value) && !stop.stop_requested())
                    norms[value->name()] = measureTensor(value->constant(), stop).norm;
            return norms;
        },
        [this](const std::map<std::string, double>& norms) { emit measured(norms); },
        [this](const Problem& problem) { emit problemFound(problem); });
}

}  // namespace temper::ui
