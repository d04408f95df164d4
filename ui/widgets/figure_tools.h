// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <string>

class QAbstractItemModel;
class QMenu;
class QMimeData;
class QSvgGenerator;
class QTemporaryDir;

namespace temper::ui {

class DragHandle;

/// The forms in which a plot can be exported.
struct Figure {
    QString title;
    std::function<QString()> describe;             ///< in words
    std::function<QAbstractItemModel*()> table;    ///< the numbers; owned by the figure
    std::function<QImage()> picture;               ///< at print resolution
    std::function<bool(QSvgGenerator&)> paintSvg;  ///< on a file of the figure's size
    std::function<std::string()> csv;              ///< empty: none
};

/// The tools of every plot: show its numbers as a table, save an image or the data, and drag both
/// into another program.
class FigureTools : public QObject {
    Q_OBJECT
public:
    /// `widget`: the parent, on which the figure is drawn.
    FigureTools(Figure figure, QWidget* widget);
    ~FigureTools() override;

    void setCsv(std::function<std::string()> csv) { figure_.csv = std::move(csv); }
    const Figure& figure() const { return figure_; }
    void fillMenu(QMenu& menu);
    /// A picture in a corner for dragging PNG and CSV out of the window.
    DragHandle* makeHandle();

    void showTable();
    bool savePng(const QString& path) const;
    bool saveSvg(const QString& path) const;
    bool saveCsv(const QString& path) const;
    /// PNG and CSV, written when another program requests them. They exist until the window is
    /// destroyed.
    std::unique_ptr<QMimeData> dragData();

signals:
    /// If not connected, a message box is shown.
    void saveFailed(const QString& path, const QString& reason);

private:
    void askImage();
    void askData();
    void dragOut();
    void fail(const QString& path, const QString& reason);

    QWidget* widget_;
    Figure figure_;
    std::unique_ptr<QTemporaryDir> dragged_;
};

}  // namespace temper::ui
