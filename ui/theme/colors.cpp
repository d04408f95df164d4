// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colors.h"

#include <QGuiApplication>

namespace temper::ui {

const Colors& lightColors() {
    static const Colors colors{
        .isDark = false,
        .window = QColor("#f4f5f7"),
        .surface = QColor("#ffffff"),
        .raised = QColor("#eceef2"),
        .border = QColor("#d8dce3"),
        .text = QColor("#1c2430"),
        .muted = QColor("#5f6b7c"),
        .accent = QColor("#2463c9"),
        .onAccent = QColor("#ffffff"),
        .good = QColor("#1b7f4d"),
        .attention = QColor("#a85b00"),
        .bad = QColor("#b8322a"),
        .series = {QColor("#0072b2"), QColor("#d55e00"), QColor("#009e73"), QColor("#b65f92"),
                   QColor("#8a6d00"), QColor("#3d8fc4"), QColor("#555555")},
    };
    return colors;
}

const Colors& darkColors() {
    static const Colors colors{
        .isDark = true,
        .window = QColor("#171a20"),
        .surface = QColor("#1f232b"),
        .raised = QColor("#2a303a"),
        .border = QColor("#363d49"),
        .text = QColor("#e4e8ee"),
        .muted = QColor("#98a3b3"),
        .accent = QColor("#5b96f0"),
        .onAccent = QColor("#0d1420"),
        .good = QColor("#4fc98a"),
        .attention = QColor("#f0ad4e"),
        .bad = QColor("#f0776c"),
        .series = {QColor("#56b4e9"), QColor("#e69f00"), QColor("#2fc79a"), QColor("#e08fbd"),
                   QColor("#f0e442"), QColor("#8fb8e8"), QColor("#bbbbbb")},
    };
    return colors;
}

const Colors& colorsOf(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < 0.5F ? darkColors() : lightColors();
}

const Colors& currentColors() { return colorsOf(QGuiApplication::palette()); }

const QColor& seriesColor(const Colors& colors, int index) {
    return colors.series[static_cast<size_t>(index) % colors.series.size()];
}

QColor blend(const QColor& under, const QColor& over, double amount) {
    const auto mix = [amount](int a, int b) {
        return static_cast<int>(a + (b - a) * amount + 0.5);
    };
    return {mix(under.red(), over.red()), mix(under.green(), over.green()),
            mix(under.blue(), over.blue())};
}

}  // namespace temper::ui
