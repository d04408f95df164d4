// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <memory>

#include "engine/ort/checkpoint_file.h"
#include "engine/provenance/module_names.h"

class QLabel;
class QPushButton;
class QTableView;

namespace temper::ui {

class Banner;
class CheckpointParameterModel;
class OptimizerStateView;
class PropertyModel;
class TaskRunner;
class TensorView;
struct CheckpointMoment;
struct LoadedModel;
struct CheckpointParameter;
struct Problem;

/// A checkpoint file: shows its parameters and optimizer state and edits its properties. A second
/// checkpoint dropped on it is compared with it.
class CheckpointDialog : public QDialog {
    Q_OBJECT
public:
    /// Reads the file in a task of `tasks`.
    CheckpointDialog(const QString& path, TaskRunner& tasks, QWidget* parent = nullptr);
    /// The open model, which knows the names of its tensors in the module. Null: none is open.
    void setModel(std::shared_ptr<const LoadedModel> model) { model_ = std::move(model); }

    PropertyModel* properties() const { return properties_; }
    bool isLoaded() const { return file_ != nullptr; }
    /// Writes the edited properties into the file.
    void save();

signals:
    void saved();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Content {
        std::shared_ptr<const CheckpointFile> file;
        std::vector<CheckpointParameter> parameters;
        std::vector<CheckpointMoment> moments;
        ModuleNames names;  ///< from the artifacts beside the file
    };

    QWidget* buildProperties();
    void showTensor(const QString& name);
    void read();
    void show(Content content);
    void fail(const Problem& problem);

    QString path_;
    TaskRunner& tasks_;
    std::shared_ptr<const LoadedModel> model_;
    std::shared_ptr<const CheckpointFile> file_;
    Banner* banner_;
    QLabel* summary_;
    CheckpointParameterModel* parameters_;
    PropertyModel* properties_;
    QTableView* propertyTable_ = nullptr;
    TensorView* values_ = nullptr;
    OptimizerStateView* optimizer_ = nullptr;
    QPushButton* save_ = nullptr;
};

}  // namespace temper::ui
