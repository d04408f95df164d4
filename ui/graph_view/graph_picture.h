// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>
#include <memory>

#include "ui/graph_view/graph_painter.h"

namespace temper::ui {

/// Everything that a picture of a drawing is made from.
struct GraphPicture {
    std::shared_ptr<const GraphDrawing> drawing;
    GraphLook look;
    bool dark = false;
    QFont font;
};

/// Writes the whole drawing as SVG or PNG, told from the name. PNG is made smaller where it would
/// have more than some 200 million pixels.
/// Throws: Error(Io) naming the path; Error(InvalidInput) for another suffix. Thread: any.
void savePicture(const GraphPicture& picture, const QString& path);

}  // namespace temper::ui
