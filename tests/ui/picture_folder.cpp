// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/picture_folder.h"

#include <QDir>
#include <QPainter>
#include <cmath>
#include <numbers>

namespace temper::ui {
namespace {

/// A regular polygon about the centre.
QPolygonF polygon(int corners, double radius, QPointF center, double turn) {
    QPolygonF points;
    for (int i = 0; i < corners; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / corners;
        points << center + radius * QPointF(std::cos(angle), std::sin(angle));
    }
    return points;
}

}  // namespace

void writePictureFolder(const QString& folder, int classes, int perClass) {
    for (int c = 0; c < classes; ++c) {
        const QString name = QStringLiteral("%1/class %2").arg(folder).arg(c);
        QDir().mkpath(name);
        for (int i = 0; i < perClass; ++i) {
            QImage image(32, 24, QImage::Format_RGB32);
            image.fill(QColor::fromHsv((i * 47) % 360, 60, 40 + i % 30));
            QPainter painter(&image);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setBrush(QColor::fromHsv((i * 83 + 120) % 360, 160, 240));
            const QPointF center(14 + i % 5, 11 + i % 3);
            painter.drawPolygon(polygon(c == 0 ? 24 : c + 2, 6 + 0.2 * (i % 11), center, 0.3 * i));
            painter.end();
            image.save(QStringLiteral("%1/%2.png").arg(name).arg(i));
        }
    }
}

}  // namespace temper::ui
