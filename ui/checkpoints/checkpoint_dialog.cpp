// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

#include "engine/onnx/checkpoint_folder.h"
#include "engine/training/artifacts/names_beside.h"
#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/checkpoints/checkpoint_parameter_model.h"
#include "ui/checkpoints/names_in_module.h"
#include "ui/checkpoints/optimizer_state_view.h"
#include "ui/checkpoints/property_model.h"
#include "ui/document/file_kind.h"
#include "ui/messages/path_text.h"
#include "ui/tasks/task_runner.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/open_window.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Offers the property kinds in a list.
class KindDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex&) const override {
        auto* box = new QComboBox(parent);
        box->addItems(propertyKinds());
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        static_cast<QComboBox*>(editor)->setCurrentText(index.data().toString());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model,
                      const QModelIndex& index) const override {
        model->setData(index, static_cast<QComboBox*>(editor)->currentText(), Qt::EditRole);
    }
};

/// Empty if it is anything else.
QString droppedCheckpoint(const QDropEvent& event) {
    const QList<QUrl> urls = event.mimeData()->urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return kindOfFile(path) == FileKind::Checkpoint ? path : QString();
}

}  // namespace

CheckpointDialog::CheckpointDialog(const QString& path, TaskRunner& tasks, QWidget* parent)
    : QDialog(parent),
      path_(path),
      tasks_(tasks),
      banner_(new Banner(this)),
      summary_(makeLabel(tr("Reading…"), "muted", this)),
      parameters_(new CheckpointParameterModel(this)),
      properties_(new PropertyModel(this)) {
    setWindowTitle(tr("Checkpoint %1").arg(QFileInfo(path).fileName()));
    resize(em(this, 76), em(this, 36));
    setAcceptDrops(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeLabel(QFileInfo(path).fileName(), "title", this));
    layout->addWidget(summary_);
    layout->addWidget(banner_);
    QTabWidget* tabs = makeTabs(this);
    QTableView* table = makeTable(parameters_, tabs, true);
    table->setAccessibleName(tr("Parameters of the checkpoint"));
    table->horizontalHeader()->setStretchLastSection(true);
    auto* splitter = new QSplitter(tabs);
    splitter->setChildrenCollapsible(false);
    values_ = new TensorView(tasks_, splitter);
    splitter->addWidget(table);
    splitter->addWidget(values_);
    splitter->setSizes({em(this, 40), em(this, 26)});
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, table](const QModelIndex& row) {
                const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table->model());
                if (row.isValid()) showTensor(parameters_->nameOf(proxy->mapToSource(row).row()));
            });
    tabs->setObjectName(QStringLiteral("checkpointTabs"));
    tabs->addTab(splitter, tr("Parameters"));
    optimizer_ = new OptimizerStateView(tasks_, tabs);
    tabs->addTab(optimizer_, tr("Optimizer"));
    tabs->addTab(buildProperties(), tr("Properties"));
    layout->addWidget(tabs, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    save_ = buttons->addButton(tr("Save properties"), QDialogButtonBox::ApplyRole);
    save_->setEnabled(false);
    connect(save_, &QPushButton::clicked, this, &CheckpointDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(properties_, &PropertyModel::edited, this,
            [this] { save_->setEnabled(file_ != nullptr); });
    connect(properties_, &PropertyModel::refused, this, [this](const QString& reason) {
        banner_->show(Banner::Kind::Attention, {{}, reason, {}});
    });
    read();
}

void CheckpointDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedCheckpoint(*event).isEmpty()) event->acceptProposedAction();
}

void CheckpointDialog::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    auto* dialog = new CheckpointDiffDialog(CheckpointSide::file(path_),
                                            CheckpointSide::file(droppedCheckpoint(*event)), tasks_,
                                            parentWidget());
    dialog->setModel(model_);
    openWindow(dialog);
}

void CheckpointDialog::showTensor(const QString& name) {
    if (!file_) return;
    for (const auto* tensors : {&file_->trainable, &file_->frozen})
        for (const NamedTensor& tensor : *tensors)
            if (tensor.name == name.toStdString()) values_->setTensor(name, tensor.data);
}

QWidget* CheckpointDialog::buildProperties() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, em(this, 0.5), 0, 0);
    propertyTable_ = makeTable(properties_, page);
    propertyTable_->setItemDelegateForColumn(PropertyModel::Kind, new KindDelegate(propertyTable_));
    propertyTable_->horizontalHeader()->setStretchLastSection(true);
    propertyTable_->setColumnWidth(PropertyModel::Name, em(this, 14));
    propertyTable_->setAccessibleName(tr("Properties of the checkpoint"));
    layout->addWidget(propertyTable_, 1);
    auto* row = new QHBoxLayout;
    auto* add = new QPushButton(themedIcon(QStringLiteral("plus")), tr("Add property"), page);
    auto* remove = new QPushButton(themedIcon(QStringLiteral("minus")), tr("Remove"), page);
    connect(add, &QPushButton::clicked, properties_, &PropertyModel::add);
    connect(remove, &QPushButton::clicked, this,
            [this] { properties_->remove(propertyTable_->currentIndex().row()); });
    row->addWidget(add);
    row->addWidget(remove);
    row->addStretch(1);
    layout->addLayout(row);
    return page;
}

void CheckpointDialog::read() {
    const QPointer<CheckpointDialog> self(this);
    tasks_.letCancel(tasks_.run(
        tr("Reading checkpoint"), tr("The checkpoint could not be read"),
        [path = path_.toStdString()](std::stop_token) {
            auto file = std::make_shared<const CheckpointFile>(loadCheckpoint(path));
            return Content{file, measureParameters(*file), measureMoments(*file),
                           moduleNamesBeside(path)};
        },
        [self](Content content) {
            if (self) self->show(std::move(content));
        },
        [self](const Problem& problem) {
            if (self) self->fail(problem);
        }));
}

void CheckpointDialog::show(Content content) {
    file_ = std::move(content.file);
    QString optimizer = tr("no optimizer state");
    if (!file_->optimizerGroups.empty())
        optimizer = tr("optimizer state after step %1").arg(file_->optimizerGroups.front().step);
    const QStringList facts{
        tr("%Ln trainable parameters", nullptr, static_cast<int>(file_->trainable.size())),
        tr("%Ln frozen parameters", nullptr, static_cast<int>(file_->frozen.size())), optimizer,
        tr("%n properties", nullptr, static_cast<int>(file_->properties.size()))};
    summary_->setText(facts.join(QStringLiteral(" · ")));
    properties_->setProperties(file_->properties);
    content.names.merge(namesInModule(*file_, model_.get()));
    parameters_->setParameters(std::move(content.parameters), content.names);
    optimizer_->setState(*file_, std::move(content.moments), content.names);
    save_->setEnabled(false);
}

void CheckpointDialog::fail(const Problem& problem) {
    summary_->setText(pathText(path_));
    banner_->show(Banner::Kind::Bad, problem);
}

void CheckpointDialog::save() {
    if (!file_) return;
    const QPointer<CheckpointDialog> self(this);
    auto changed = std::make_shared<CheckpointFile>(*file_);
    changed->properties = properties_->properties();
    tasks_.mustFinish(tasks_.run(
        tr("Saving checkpoint"), tr("The checkpoint could not be saved"),
        [changed, path = path_.toStdString()](std::stop_token) {
            writeCheckpoint(*changed, path);
            return true;
        },
        [self, changed](bool) {
            if (!self) return;
            self->file_ = changed;
            self->save_->setEnabled(false);
            emit self->saved();
        },
        [self](const Problem& problem) {
            if (self) self->fail(problem);
        }));
}

}  // namespace temper::ui
