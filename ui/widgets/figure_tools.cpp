// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_tools.h"

#include <QDialog>
#include <QDrag>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QMetaMethod>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QTableView>
#include <QTemporaryDir>
#include <QVBoxLayout>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_table.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/file_drag.h"
#include "ui/widgets/guarded.h"
#include "ui/widgets/page.h"
#include "ui/widgets/written_file.h"

namespace temper::ui {

FigureTools::FigureTools(Figure figure, QWidget* widget)
    : QObject(widget), widget_(widget), figure_(std::move(figure)) {}

FigureTools::~FigureTools() = default;

void FigureTools::fillMenu(QMenu& menu) {
    menu.addAction(themedIcon(QStringLiteral("table")), tr("Show as table"), this,
                   &FigureTools::showTable);
    menu.addSeparator();
    menu.addAction(themedIcon(QStringLiteral("export")), tr("Save image…"), this,
                   &FigureTools::askImage);
    menu.addAction(tr("Save data as CSV…"), this, &FigureTools::askData);
}

DragHandle* FigureTools::makeHandle() {
    auto* handle = new DragHandle(widget_);
    handle->setObjectName(QStringLiteral("plotDragHandle"));
    handle->setToolTip(tr("Drag into a folder or another program: image and data"));
    handle->setAccessibleName(tr("Drag the plot out"));
    connect(handle, &DragHandle::dragStarted, this, &FigureTools::dragOut);
    return handle;
}

void FigureTools::showTable() {
    QAbstractItemModel* table = figure_.table();
    auto* dialog = new QDialog(widget_);
    dialog->setObjectName(QStringLiteral("plotTable"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(figure_.title);
    auto* layout = new QVBoxLayout(dialog);
    auto* words = makeLabel(figure_.describe(), "muted", dialog);
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QTableView* view = makeTable(table, dialog);
    view->setAccessibleName(tr("Values of the plot %1").arg(figure_.title));
    view->resizeColumnsToContents();
    allowCopying(view);
    layout->addWidget(words);
    layout->addWidget(view, 1);
    const auto describe = [this, words] { words->setText(figure_.describe()); };
    connect(table, &QAbstractItemModel::dataChanged, words, describe);
    connect(table, &QAbstractItemModel::modelReset, words, describe);
    dialog->resize(em(widget_, 52), em(widget_, 18));
    dialog->show();
}

bool FigureTools::savePng(const QString& path) const {
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && figure_.picture().save(&file, "PNG") && file.commit();
}

bool FigureTools::saveSvg(const QString& path) const {
    QSaveFile target(path);
    if (!target.open(QIODevice::WriteOnly)) return false;
    QSvgGenerator file;
    file.setOutputDevice(&target);
    file.setTitle(figure_.title);
    file.setDescription(figure_.describe());
    return figure_.paintSvg(file) && target.commit();
}

bool FigureTools::saveCsv(const QString& path) const {
    if (!figure_.csv) return false;
    try {
        writeFileAtomically(path.toStdString(), figure_.csv());
        return true;
    } catch (const Error&) {
        return false;
    }
}

void FigureTools::askImage() {
    const QString path = QFileDialog::getSaveFileName(
        widget_, tr("Save image"), fileNameOf(figure_.title) + QStringLiteral(".png"),
        tr("PNG image (*.png);;SVG image (*.svg)"));
    if (path.isEmpty()) return;
    const bool isSvg = path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
    if (isSvg ? saveSvg(path) : savePng(path)) return tellWritten(widget_, path);
    fail(path, tr("The image could not be written."));
}

void FigureTools::askData() {
    if (!figure_.csv) return;
    const QString path = QFileDialog::getSaveFileName(
        widget_, tr("Save data"), fileNameOf(figure_.title) + QStringLiteral(".csv"),
        tr("CSV table (*.csv)"));
    if (path.isEmpty()) return;
    if (saveCsv(path)) return tellWritten(widget_, path);
    fail(path, tr("The data could not be written."));
}

std::unique_ptr<QMimeData> FigureTools::dragData() {
    if (!dragged_) dragged_ = std::make_unique<QTemporaryDir>();
    const QString base = dragged_->filePath(fileNameOf(figure_.title));
    std::vector<LazyFile> files{
        {base + QStringLiteral(".png"), [this](const QString& path) { return savePng(path); }}};
    if (figure_.csv)
        files.push_back(
            {base + QStringLiteral(".csv"), [this](const QString& path) { return saveCsv(path); }});
    return std::make_unique<FilesMimeData>(std::move(files));
}

void FigureTools::dragOut() {
    auto* drag = new QDrag(widget_);  // deletes itself, and its data, later
    auto* mime = static_cast<FilesMimeData*>(dragData().release());
    drag->setMimeData(mime);
    drag->setPixmap(widget_->grab().scaledToWidth(em(widget_, 14), Qt::SmoothTransformation));
    drag->exec(Qt::CopyAction);
    for (const QString& path : mime->failed()) fail(path, tr("The file could not be written."));
}

void FigureTools::fail(const QString& path, const QString& reason) {
    static const QMetaMethod kSignal = QMetaMethod::fromSignal(&FigureTools::saveFailed);
    if (isSignalConnected(kSignal)) return emit saveFailed(path, reason);
    showProblem(widget_, {tr("%1 could not be saved").arg(path), reason, {}});
}

}  // namespace temper::ui
