// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <functional>
#include <memory>
#include <vector>

#include "engine/ort/checkpoint_diff.h"
#include "engine/provenance/module_names.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QTableView;

namespace temper {
class Graph;
}

namespace temper::ui {

class Banner;
class CheckpointDiffModel;
class HistogramView;
class TaskRunner;
struct LoadedModel;
struct Problem;

/// Weights, and what is known of their names in the module.
struct NamedWeights {
    CheckpointFile file;
    ModuleNames names = {};
};

/// One of two checkpoints to compare: its name and how to read it, on any thread. A model counts as
/// a checkpoint, with its initializers as parameters.
struct CheckpointSide {
    QString name;
    std::function<NamedWeights()> read;
    bool isModel = false;

    /// A checkpoint or a model, detected by its content.
    static CheckpointSide file(const QString& path);
    /// An open model.
    static CheckpointSide model(const QString& name, std::shared_ptr<const Graph> graph);
};

/// Two checkpoints side by side: what changed in each parameter, and a mixture of both that can be
/// saved (not of models).
class CheckpointDiffDialog : public QDialog {
    Q_OBJECT
public:
    /// Reads the files in a task of `tasks`.
    CheckpointDiffDialog(const CheckpointSide& first, const CheckpointSide& second,
                         TaskRunner& tasks, QWidget* parent = nullptr);

    CheckpointDiffModel* model() const { return model_; }
    /// The open model, which knows the names of its tensors in the module. Null: none is open.
    void setModel(std::shared_ptr<const LoadedModel> model) { openModel_ = std::move(model); }
    bool isLoaded() const { return first_ != nullptr; }
    /// Writes (1 - weight) * first + weight * second to a file.
    void saveMixture(const QString& path, double weight);

signals:
    void saved(const QString& path);

private:
    struct Content {
        std::shared_ptr<const CheckpointFile> first, second;
        CheckpointDiff diff;
        ModuleNames names;
    };
    QWidget* buildDetails();
    QWidget* buildMixture();
    void read();
    void show(Content content);
    void showParameter();
    void askMixture();
    void fail(const Problem& problem);

    CheckpointSide firstSide_, secondSide_;
    TaskRunner& tasks_;
    std::shared_ptr<const CheckpointFile> first_, second_;
    std::shared_ptr<const LoadedModel> openModel_;
    CheckpointDiffModel* model_;
    Banner* banner_;
    QLabel* summary_;
    QTableView* table_;
    QLabel* name_ = nullptr;
    QLabel* change_ = nullptr;
    HistogramView* histogram_ = nullptr;
    QDoubleSpinBox* weight_ = nullptr;
    QPushButton* save_ = nullptr;
    std::vector<QWidget*> mixture_;
};

}  // namespace temper::ui
