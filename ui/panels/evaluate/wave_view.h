// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "engine/data/sound/sound.h"

namespace temper::ui {

/// A sound over time; the part that the model gets is coloured.
class WaveView : public QWidget {
    Q_OBJECT
public:
    explicit WaveView(QWidget* parent = nullptr);

    /// `seconds`: of the whole width; a sound may still grow to it.
    void setSound(const Sound& sound, double seconds);
    /// Marks a part. Units: seconds.
    void setPart(double begin, double end);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<std::pair<float, float>> spans_;  ///< lowest and highest value in equal times
    double secondsPerSpan_ = 0;
    double seconds_ = 0;
    double begin_ = 0;
    double end_ = 0;
};

}  // namespace temper::ui
