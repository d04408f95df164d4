// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

namespace temper::ui {

/// The prediction of a model for one input: the likeliest classes with their probabilities as bars,
/// or numbers.
class PredictionBars : public QWidget {
    Q_OBJECT
public:
    struct Bar {
        QString name;
        double value = 0;
        bool isShare = true;  ///< a probability; else a number without a bar
        bool isRight = false;
    };

    explicit PredictionBars(QWidget* parent = nullptr);

    void setBars(std::vector<Bar> bars);
    const std::vector<Bar>& bars() const { return bars_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Bar> bars_;
};

}  // namespace temper::ui
