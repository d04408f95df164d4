// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "engine/data/tensor_slice.h"
#include "engine/data/tensor_statistics.h"
#include "ui/messages/problem.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QTemporaryDir;
class QTimer;
class QToolButton;
class QTreeWidget;

namespace temper::ui {

class Banner;
class DragHandle;
class HeatMapView;
class HistogramView;
class KernelGrid;
class Placeholder;
class SliceChooser;
class TaskRunner;
class TensorMimeData;
class TensorTable;

/// All views of a tensor: statistics with a histogram, a heat map of a slice, kernels as pictures,
/// every value in a sortable table; saved as NPY or CSV, or dragged into a folder. Work on the
/// values runs in tasks that can be cancelled; tensors of mapped files stay mapped.
class TensorView : public QWidget {
    Q_OBJECT
public:
    enum Page { Statistics, HeatMap, Kernels, Values };

    TensorView(TaskRunner& tasks, QWidget* parent = nullptr);
    ~TensorView() override;

    void setTensor(const QString& name, const Tensor& tensor);
    /// Returns to the invitation to choose a tensor.
    void clear();
    void showPage(Page page);
    const QString& name() const { return name_; }
    const Tensor& tensor() const { return tensor_; }
    /// Statistics of the shown tensor; null while they are computed.
    const std::shared_ptr<const TensorStatistics>& statistics() const { return statistics_; }
    TensorTable* table() const { return table_; }
    HeatMapView* heatMap() const { return heatMap_; }
    KernelGrid* kernels() const { return kernels_; }
    bool isBusy() const { return statisticsTask_ != 0 || exportTask_ != 0; }
    /// Saves as NPY or CSV, chosen by the name.
    void exportTo(const QString& path);
    /// The tensor as an NPY file for other programs; the file exists as long as the view.
    std::unique_ptr<TensorMimeData> dragData();
    /// Stops the running task: statistics or saving.
    void cancel();

signals:
    void measured();
    void exported(const QString& path);

private:
    QWidget* buildHeader();
    QWidget* buildStatistics();
    QWidget* buildHeatMap();
    QWidget* buildKernels();
    void measure();
    void showStatistics();
    void showSlice();
    void showCell(qint64 row, qint64 column, double value);
    void showBusy();
    void dragOut();
    void askExport(const QString& suffix);

    TaskRunner& tasks_;
    QString name_;
    Tensor tensor_;
    std::shared_ptr<const TensorStatistics> statistics_;
    std::shared_ptr<Progress> progress_;
    QStackedWidget* stack_;
    QLabel* title_ = nullptr;
    QLabel* type_ = nullptr;
    QToolButton* save_ = nullptr;
    DragHandle* handle_ = nullptr;
    std::unique_ptr<QTemporaryDir> dragged_;  ///< created with the first drag
    QProgressBar* bar_ = nullptr;
    QToolButton* stop_ = nullptr;
    Banner* banner_;
    QTabWidget* tabs_;
    QTreeWidget* numbers_ = nullptr;
    HistogramView* histogram_ = nullptr;
    SliceChooser* slice_ = nullptr;
    HeatMapView* heatMap_ = nullptr;
    QLabel* cell_ = nullptr;
    KernelGrid* kernels_ = nullptr;
    QCheckBox* coloured_ = nullptr;
    TensorTable* table_ = nullptr;
    QTimer* timer_;
    int statisticsTask_ = 0;
    int sliceTask_ = 0;
    int exportTask_ = 0;
};

}  // namespace temper::ui
