// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/panels/data/thumbnails.h"

namespace temper::ui {

/// Samples as pictures with captions, as many as fit.
class ThumbnailView : public QWidget {
    Q_OBJECT
public:
    explicit ThumbnailView(QWidget* parent = nullptr);

    void setThumbnails(std::vector<Thumbnail> thumbnails);
    int count() const { return static_cast<int>(thumbnails_.size()); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// As large as possible so that all fit, within reason.
    int fittingSize(int gap, int caption) const;

    std::vector<Thumbnail> thumbnails_;
};

}  // namespace temper::ui
