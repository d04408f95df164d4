// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>
#include <memory>

#include "ui/graph_view/graph_painter.h"

namespace temper::ui {

/// The input of a picture of a drawing.
struct GraphPicture {
    std::shared_ptr<const GraphDrawing> drawing;
    GraphLook look;
    bool dark = false;
    QFont font;
};

/// Writes the whole drawing as SVG or PNG, chosen by the suffix. PNG is scaled down if it would
/// exceed about 200 million pixels.
/// Throws: Error(Io) naming the path; Error(InvalidInput) for any other suffix. Thread: any.
void savePicture(const GraphPicture& picture, const QString& path);

}  // namespace temper::ui
