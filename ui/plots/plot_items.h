// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <vector>

#include "ui/plots/plot_mark.h"
#include "ui/theme/colors.h"

namespace temper::ui {

/// Draws marks: a thin line, and above the curves a symbol and the text if there is room.
class MarkItem : public QCPAbstractItem {
    Q_OBJECT
public:
    explicit MarkItem(QCustomPlot* plot) : QCPAbstractItem(plot) { setClipToAxisRect(false); }

    void setMarks(std::vector<PlotMark> marks) { marks_ = std::move(marks); }
    const std::vector<PlotMark>& marks() const { return marks_; }
    void setColors(const Colors& colors) { colors_ = colors; }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawSymbol(QCPPainter* painter, MarkSymbol symbol, QPointF at, double size) const;

    std::vector<PlotMark> marks_;
    Colors colors_ = lightColors();
};

/// A row in the box of the cross-hair.
struct CursorValue {
    QString name;
    double x = 0;
    double y = 0;
    int color = 0;
};

/// Draws the cross-hair: a line, a dot on each curve, and a box with their values.
class CursorItem : public QCPAbstractItem {
    Q_OBJECT
public:
    explicit CursorItem(QCustomPlot* plot) : QCPAbstractItem(plot) {}

    /// `values` empty: nothing is drawn.
    void setValues(const QString& title, std::vector<CursorValue> values) {
        title_ = title;
        values_ = std::move(values);
    }
    const std::vector<CursorValue>& values() const { return values_; }
    /// Whether there is a box.
    void setBoxed(bool boxed) { isBoxed_ = boxed; }
    void setColors(const Colors& colors) { colors_ = colors; }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawBox(QCPPainter* painter, double x) const;

    QString title_;
    std::vector<CursorValue> values_;
    Colors colors_ = lightColors();
    bool isBoxed_ = true;
};

}  // namespace temper::ui
