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

/// A plot as it leaves the window.
struct Figure {
    QString title;
    std::function<QString()> describe;             ///< in words
    std::function<QAbstractItemModel*()> table;    ///< the numbers; the figure's
    std::function<QImage()> picture;               ///< as sharp as print needs
    std::function<bool(QSvgGenerator&)> paintSvg;  ///< on a file of the figure's size
    std::function<std::string()> csv;              ///< empty: there is none
};

/// What can be done with every plot: its numbers as a table, an image or the data as a file, and
/// both dragged into another program.
class FigureTools : public QObject {
    Q_OBJECT
public:
    /// `widget`: on which the figure is drawn, and the parent.
    FigureTools(Figure figure, QWidget* widget);
    ~FigureTools() override;

    void setCsv(std::function<std::string()> csv) { figure_.csv = std::move(csv); }
    const Figure& figure() const { return figure_; }
    void fillMenu(QMenu& menu);
    /// A picture in a corner that carries PNG and CSV out of the window.
    DragHandle* makeHandle();

    void showTable();
    bool savePng(const QString& path) const;
    bool saveSvg(const QString& path) const;
    bool saveCsv(const QString& path) const;
    /// PNG and CSV, written when another program asks for them. They stay until the window goes.
    std::unique_ptr<QMimeData> dragData();

signals:
    /// Shown in a message box where nobody listens.
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
