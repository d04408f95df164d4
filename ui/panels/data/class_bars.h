// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

namespace temper::ui {

/// Samples per class as bars, for the training and the validation samples.
class ClassBars : public QWidget {
    Q_OBJECT
public:
    struct Bar {
        QString name;
        int64_t training = 0;
        int64_t evaluation = 0;
    };

    explicit ClassBars(QWidget* parent = nullptr);

    void setBars(std::vector<Bar> bars);
    const std::vector<Bar>& bars() const { return bars_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Bar> bars_;
};

}  // namespace temper::ui
