// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

namespace temper::ui {
namespace {

/// Renders SVG text whose strokes and fills have the colour #404040.
class SvgIconEngine : public QIconEngine {
public:
    SvgIconEngine(QByteArray svg, QColor color, QPalette::ColorRole role)
        : svg_(std::move(svg)), color_(color), role_(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        QByteArray colored = svg_;
        colored.replace("#404040", colorFor(mode).name().toLatin1());
        QSvgRenderer renderer(colored);
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap image(size);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return image;
    }

    QIconEngine* clone() const override { return new SvgIconEngine(svg_, color_, role_); }

private:
    QColor colorFor(QIcon::Mode mode) const {
        const QPalette palette = QGuiApplication::palette();
        if (mode == QIcon::Disabled) return palette.color(QPalette::Disabled, QPalette::ButtonText);
        return color_.isValid() ? color_ : palette.color(role_);
    }

    QByteArray svg_;
    QColor color_;
    QPalette::ColorRole role_;
};

QIcon makeIcon(const QString& name, const QColor& color, QPalette::ColorRole role) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QIcon(new SvgIconEngine(file.readAll(), color, role));
}

}  // namespace

QIcon themedIcon(const QString& name, const QColor& color) {
    return makeIcon(name, color, QPalette::ButtonText);
}

QIcon accentIcon(const QString& name) { return makeIcon(name, {}, QPalette::HighlightedText); }

}  // namespace temper::ui
