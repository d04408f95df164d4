// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_picture.h"

#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr double kPictureMargin = 20;
constexpr double kPngScale = 2;
constexpr double kMaxPixels = 2e8;
constexpr double kLongestSide = 32000;

void paint(const GraphPicture& picture, QPainter& painter, const QRectF& area, double scale) {
    const Colors& colors = picture.dark ? darkColors() : lightColors();
    painter.scale(scale, scale);
    painter.translate(-area.topLeft());
    painter.fillRect(area, colors.surface);
    // Pictures can be zoomed: they contain every detail at any size.
    GraphPainter(*picture.drawing, picture.look, colors, picture.font)
        .paint(painter, area, std::max(scale, 1.0));
}

[[noreturn]] void fail(const QString& path, const QString& reason) {
    throw Error(ErrorCode::Io,
                path.toStdString() + " could not be written: " + reason.toStdString() + ".",
                "Choose another folder.");
}

void makePng(const GraphPicture& picture, const QRectF& area, QSaveFile& file) {
    double scale = std::min(kPngScale, kLongestSide / std::max(area.width(), area.height()));
    scale = std::min(scale, std::sqrt(kMaxPixels / (area.width() * area.height())));
    QImage image((area.size() * scale).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    if (image.isNull())
        throw Error(ErrorCode::Io, "Not enough memory for the picture.", "Save it as SVG.");
    QPainter painter(&image);
    paint(picture, painter, area, scale);
    painter.end();
    image.save(&file, "PNG");
}

}  // namespace

void savePicture(const GraphPicture& picture, const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix != QLatin1String("svg") && suffix != QLatin1String("png"))
        throw Error(ErrorCode::InvalidInput,
                    "Pictures are saved as .svg or .png, not as ." + suffix.toStdString() + ".",
                    "Use one of these suffixes.");
    const QRectF area = picture.drawing->bounds.adjusted(-kPictureMargin, -kPictureMargin,
                                                         kPictureMargin, kPictureMargin);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) fail(path, file.errorString());
    if (suffix == QLatin1String("png")) {
        makePng(picture, area, file);
    } else {
        QSvgGenerator generator;
        generator.setOutputDevice(&file);
        generator.setSize(area.size().toSize());
        generator.setViewBox(QRectF({0, 0}, area.size()));
        QPainter painter(&generator);
        paint(picture, painter, area, 1);
    }
    if (!file.commit()) fail(path, file.errorString());
}

}  // namespace temper::ui
