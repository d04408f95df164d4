// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/tensor_view.h"

#include <QCheckBox>
#include <QDrag>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QProgressBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <cmath>

#include "engine/data/tensor_export.h"
#include "engine/data/tensor_numbers.h"
#include "ui/tasks/task_runner.h"
#include "ui/tensor_view/heat_map_view.h"
#include "ui/tensor_view/kernel_grid.h"
#include "ui/tensor_view/slice_chooser.h"
#include "ui/tensor_view/tensor_file_drag.h"
#include "ui/tensor_view/tensor_table.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/histogram_view.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// Cells of a heat map in each direction.
constexpr int64_t kMaxCells = 512;
constexpr int kProgressSteps = 1000;
constexpr int kProgressIntervalMs = 60;

QString number(double value) { return decimalText(value, 'g', 6); }

}  // namespace

TensorView::TensorView(TaskRunner& tasks, QWidget* parent)
    : QWidget(parent),
      tasks_(tasks),
      stack_(new QStackedWidget(this)),
      banner_(new Banner(this)),
      tabs_(makeTabs(this)),
      timer_(new QTimer(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, em(this, 0.3), 0, 0);
    layout->addWidget(stack_);
    stack_->addWidget(new Placeholder(
        QStringLiteral("table"), tr("Choose a tensor with values to inspect it."), {}, stack_));
    auto* content = new QWidget(stack_);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(em(this, 0.3));
    column->addWidget(buildHeader());
    column->addWidget(banner_);
    tabs_->addTab(buildStatistics(), tr("Statistics"));
    tabs_->addTab(buildHeatMap(), tr("Heat map"));
    tabs_->addTab(buildKernels(), tr("Kernels"));
    table_ = new TensorTable(tasks, tabs_);
    tabs_->addTab(table_, tr("Table"));
    tabs_->setProperty("tight", true);
    column->addWidget(tabs_, 1);
    stack_->addWidget(content);
    timer_->setInterval(kProgressIntervalMs);
    connect(timer_, &QTimer::timeout, this,
            [this] { bar_->setValue(static_cast<int>(*progress_ * kProgressSteps)); });
    connect(tabs_, &QTabWidget::currentChanged, this, [this](int page) {
        if (page == HeatMap && heatMap_->grid() == nullptr) showSlice();
    });
}

TensorView::~TensorView() {
    for (const int task : {statisticsTask_, sliceTask_, exportTask_}) tasks_.cancel(task);
}

QWidget* TensorView::buildHeader() {
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    handle_ = new DragHandle(header);
    handle_->setObjectName(QStringLiteral("tensorDragHandle"));
    handle_->setToolTip(tr("Drag into a folder to save the tensor there as NPY"));
    handle_->setAccessibleName(tr("Drag the tensor"));
    connect(handle_, &DragHandle::dragStarted, this, &TensorView::dragOut);
    row->addWidget(handle_);
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    title_ = makeLabel({}, "heading", header);
    type_ = makeLabel({}, "muted", header);
    for (QLabel* label : {title_, type_}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        names->addWidget(label);
    }
    row->addLayout(names, 1);
    bar_ = new QProgressBar(header);
    bar_->setRange(0, kProgressSteps);
    bar_->setTextVisible(false);
    bar_->setFixedWidth(em(this, 5));
    bar_->setAccessibleName(tr("Progress"));
    stop_ = new QToolButton(header);
    stop_->setText(tr("Cancel"));
    connect(stop_, &QToolButton::clicked, this, &TensorView::cancel);
    save_ = new QToolButton(header);
    save_->setIcon(themedIcon(QStringLiteral("save")));
    save_->setToolTip(tr("Save the tensor"));
    save_->setAutoRaise(true);
    save_->setAccessibleName(tr("Save the tensor"));
    save_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(save_);
    menu->addAction(tr("NPY…"), this, [this] { askExport(QStringLiteral("npy")); });
    menu->addAction(tr("CSV…"), this, [this] { askExport(QStringLiteral("csv")); });
    save_->setMenu(menu);
    for (QWidget* widget : std::initializer_list<QWidget*>{bar_, stop_, save_})
        row->addWidget(widget);
    bar_->hide();
    stop_->hide();
    return header;
}

QWidget* TensorView::buildStatistics() {
    auto* page = new QWidget(tabs_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, em(this, 0.4), 0, 0);
    numbers_ = new QTreeWidget(page);
    numbers_->setColumnCount(2);
    numbers_->setHeaderHidden(true);
    numbers_->setRootIsDecorated(false);
    numbers_->setAlternatingRowColors(true);
    numbers_->setAccessibleName(tr("Statistics of the values"));
    layout->addWidget(numbers_, 3);
    histogram_ = new HistogramView(page);
    histogram_->setMinimumHeight(em(this, 7));
    layout->addWidget(histogram_, 2);
    auto* logarithmic = new QCheckBox(tr("Logarithmic counts"), page);
    connect(logarithmic, &QCheckBox::toggled, histogram_, &HistogramView::setLogarithmic);
    layout->addWidget(logarithmic);
    return page;
}

QWidget* TensorView::buildHeatMap() {
    auto* page = new QWidget(tabs_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, em(this, 0.4), 0, 0);
    slice_ = new SliceChooser(page);
    slice_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    heatMap_ = new HeatMapView(page);
    cell_ = makeLabel({}, "muted", page);
    layout->addWidget(slice_);
    layout->addWidget(heatMap_, 1);
    layout->addWidget(cell_);
    connect(slice_, &SliceChooser::changed, this, &TensorView::showSlice);
    connect(heatMap_, &HeatMapView::cellChosen, this, &TensorView::showCell);
    return page;
}

QWidget* TensorView::buildKernels() {
    auto* page = new QWidget(tabs_);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, em(this, 0.4), 0, 0);
    kernels_ = new KernelGrid(page);
    coloured_ = new QCheckBox(tr("Three inputs as one coloured picture"), page);
    connect(coloured_, &QCheckBox::toggled, kernels_, &KernelGrid::setColoured);
    layout->addWidget(kernels_, 1);
    layout->addWidget(coloured_);
    return page;
}

void TensorView::setTensor(const QString& name, const Tensor& tensor) {
    cancel();
    tasks_.cancel(sliceTask_);
    name_ = name;
    tensor_ = tensor;
    statistics_ = nullptr;
    if (tensor.empty()) return clear();
    title_->setText(name);
    title_->setToolTip(name);
    const QString bytes = QLocale().formattedDataSize(static_cast<qint64>(tensor.byteSize()), 1,
                                                      QLocale::DataSizeTraditionalFormat);
    type_->setText(
        QStringLiteral("%1%2 · %3")
            .arg(text(dtypeName(tensor.dtype())), text(formatShape(tensor.shape())), bytes));
    handle_->setVisible(tensor.dtype() != DType::String);
    const bool readable = hasNumbers(tensor.dtype()) && tensor.numElements() > 0;
    for (const Page page : {HeatMap, Values}) tabs_->setTabEnabled(page, readable);
    tabs_->setTabVisible(Kernels, KernelGrid::isKernel(tensor));
    kernels_->setTensor(Tensor(), 0);
    coloured_->setVisible(false);
    slice_->setShape(tensor.shape());
    heatMap_->setGrid(nullptr);
    table_->setTensor(tensor);
    banner_->hide();
    stack_->setCurrentIndex(1);
    measure();
    if (tabs_->currentIndex() == HeatMap) showSlice();
}

void TensorView::clear() {
    cancel();
    tasks_.cancel(sliceTask_);
    tensor_ = Tensor();
    table_->setTensor(tensor_);
    heatMap_->setGrid(nullptr);
    stack_->setCurrentIndex(0);
}

void TensorView::showPage(Page page) { tabs_->setCurrentIndex(page); }

void TensorView::measure() {
    showStatistics();
    progress_ = std::make_shared<Progress>(0.0F);
    statisticsTask_ = tasks_.run(
        tr("Reading %1").arg(name_), tr("The tensor could not be read"),
        [tensor = tensor_, progress = progress_](std::stop_token stop) {
            return std::make_shared<const TensorStatistics>(
                measureTensor(tensor, stop, progress.get()));
        },
        [this](std::shared_ptr<const TensorStatistics> statistics) {
            statisticsTask_ = 0;
            statistics_ = std::move(statistics);
            showBusy();
            showStatistics();
            emit measured();
        },
        [this](const Problem& problem) {
            statisticsTask_ = 0;
            showBusy();
            banner_->show(Banner::Kind::Bad, problem);
        });
    showBusy();
}

void TensorView::showStatistics() {
    numbers_->clear();
    histogram_->setHistogram({}, 0, 0);
    const auto add = [this](const QString& key, const QString& value) {
        new QTreeWidgetItem(numbers_, {key, value});
    };
    const auto count = [](int64_t value) {
        return QLocale().toString(static_cast<qlonglong>(value));
    };
    add(tr("Values"), count(tensor_.numElements()));
    if (!statistics_)
        return add(tr("Statistics"), statisticsTask_ != 0 ? tr("…") : tr("cancelled"));
    const TensorStatistics& of = *statistics_;
    add(tr("Minimum"), number(of.minimum));
    add(tr("Maximum"), number(of.maximum));
    add(tr("Mean"), number(of.mean));
    add(tr("Standard deviation"), number(of.deviation));
    add(tr("L2 norm"), number(of.norm));
    add(tr("Zeros"), count(of.zeros));
    if (of.nans > 0) add(tr("NaN"), count(of.nans));
    if (of.infinities > 0) add(tr("Infinite"), count(of.infinities));
    numbers_->resizeColumnToContents(0);
    histogram_->setHistogram(of.histogram, of.minimum, of.maximum);
    if (!KernelGrid::isKernel(tensor_)) return;
    kernels_->setTensor(tensor_, std::max(std::abs(of.minimum), std::abs(of.maximum)));
    coloured_->setVisible(kernels_->canBeColoured());
    kernels_->setColoured(coloured_->isChecked());
}

void TensorView::showSlice() {
    tasks_.cancel(sliceTask_);
    cell_->clear();
    if (tensor_.empty() || tensor_.numElements() == 0) return;
    sliceTask_ = tasks_.run(
        tr("Reading %1").arg(name_), tr("The slice could not be read"),
        [tensor = tensor_, choice = slice_->choice()](std::stop_token stop) {
            return std::make_shared<const SliceGrid>(sliceTensor(tensor, choice, kMaxCells, stop));
        },
        [this](std::shared_ptr<const SliceGrid> grid) {
            sliceTask_ = 0;
            const bool whole = grid->rowStep * grid->columnStep == 1;
            cell_->setText(whole ? tr("Point at a cell to see its value.")
                                 : tr("Each cell shows the largest of %1 × %2 values.")
                                       .arg(grid->rowStep)
                                       .arg(grid->columnStep));
            heatMap_->setGrid(std::move(grid));
        },
        [this](const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); });
}

void TensorView::showCell(qint64 row, qint64 column, double value) {
    if (row < 0) return;
    cell_->setText(tr("Row %1, column %2: %3").arg(row).arg(column).arg(number(value)));
}

void TensorView::showBusy() {
    bar_->setVisible(isBusy());
    stop_->setVisible(isBusy());
    save_->setVisible(!isBusy());
    if (isBusy()) {
        bar_->setValue(0);
        timer_->start();
    } else {
        timer_->stop();
    }
}

void TensorView::cancel() {
    tasks_.cancel(statisticsTask_);
    tasks_.cancel(exportTask_);
    const bool wasMeasuring = statisticsTask_ != 0;
    statisticsTask_ = exportTask_ = 0;
    showBusy();
    if (wasMeasuring) showStatistics();
}

std::unique_ptr<TensorMimeData> TensorView::dragData() {
    if (!dragged_) dragged_ = std::make_unique<QTemporaryDir>();
    const QString name = fileNameOf(name_) + QStringLiteral(".npy");
    return std::make_unique<TensorMimeData>(tensor_, dragged_->filePath(name));
}

void TensorView::dragOut() {
    auto* drag = new QDrag(this);  // deletes itself, and its data, later
    TensorMimeData* mime = dragData().release();
    drag->setMimeData(mime);
    drag->setPixmap(handle_->pixmap());
    drag->exec(Qt::CopyAction);
    if (!mime->problem().isEmpty()) banner_->show(Banner::Kind::Bad, mime->problem());
}

void TensorView::askExport(const QString& suffix) {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the tensor"), fileNameOf(name_) + '.' + suffix,
                                     tr("Arrays (*.npy);;Tables (*.csv)"));
    if (!path.isEmpty()) exportTo(path);
}

void TensorView::exportTo(const QString& path) {
    cancel();
    progress_ = std::make_shared<Progress>(0.0F);
    const bool csv = QFileInfo(path).suffix().toLower() == QLatin1String("csv");
    exportTask_ = tasks_.run(
        tr("Saving %1").arg(name_), tr("The tensor could not be saved"),
        [tensor = tensor_, progress = progress_, csv,
         file = path.toStdString()](std::stop_token stop) {
            return csv ? exportCsv(file, tensor, stop, progress.get())
                       : exportNpy(file, tensor, stop, progress.get());
        },
        [this, path](bool done) {
            exportTask_ = 0;
            showBusy();
            if (!done) return;
            banner_->show(Banner::Kind::Good, {{}, tr("Saved as %1").arg(path), {}});
            emit exported(path);
        },
        [this](const Problem& problem) {
            exportTask_ = 0;
            showBusy();
            banner_->show(Banner::Kind::Bad, problem);
        });
    showBusy();
}

}  // namespace temper::ui
