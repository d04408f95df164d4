// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

namespace temper::ui {

/// The distribution of a tensor's values as bars.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr);

    void setHistogram(std::vector<int64_t> counts, double minimum, double maximum);
    /// Heights by the logarithm of the counts: few values far out become visible.
    void setLogarithmic(bool logarithmic);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<int64_t> counts_;
    double minimum_ = 0;
    double maximum_ = 0;
    bool logarithmic_ = false;
};

}  // namespace temper::ui
