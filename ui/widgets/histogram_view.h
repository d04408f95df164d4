// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

namespace temper::ui {

class FigureTools;
class ValueTable;

/// The distribution of a tensor's values as bars; its button opens the numbers as a table and saves
/// them or the image.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr);

    void setHistogram(std::vector<int64_t> counts, double minimum, double maximum);
    /// Heights by the logarithm of the counts: a few outliers become visible.
    void setLogarithmic(bool logarithmic);
    /// The histogram described in words.
    QString description() const;
    FigureTools* files() const { return files_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void buildTools();
    FigureTools* makeFiles();
    void paint(QPainter& painter) const;
    /// Shows the bars as rows.
    ValueTable* fillTable();
    /// The start of a bar; for the index after the last bar, its end.
    double edge(size_t bar) const;

    std::vector<int64_t> counts_;
    double minimum_ = 0;
    double maximum_ = 0;
    bool logarithmic_ = false;
    ValueTable* table_;
    FigureTools* files_;
};

}  // namespace temper::ui
