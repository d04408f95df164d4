// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/pace.h"

#include <QImage>
#include <QMap>
#include <QPainter>
#include <QPolygonF>
#include <QStringList>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace temper::ui {
namespace {

constexpr int kRounds = 9;
constexpr int kLines = 40;
constexpr int kPoints = 60;
constexpr int kTexts = 90;
constexpr int kWords = 1500;

void paint(QImage& image) {
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int line = 0; line < kLines; ++line) {
        QPolygonF points;
        for (int i = 0; i < kPoints; ++i)
            points << QPointF(6.0 * i, 60 + 3 * line * std::sin(0.1 * i + line));
        painter.drawPolyline(points);
    }
    for (int i = 0; i < kTexts; ++i)
        painter.drawText(QPointF(5 + 60 * (i % 6), 12 + 15 * (i / 6)), QString::number(i * 0.37));
}

qsizetype sortWords() {
    QStringList words;
    for (int i = 0; i < kWords; ++i) words << QString::number((i * 7919) % 10007);
    words.sort();
    QMap<QString, int> lengths;
    for (const QString& word : words) lengths[word] += int(word.size());
    return lengths.size();
}

}  // namespace

double threadMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

double paceMs() {
    QImage image(360, 240, QImage::Format_ARGB32_Premultiplied);
    std::vector<double> times;
    qsizetype words = 0;
    for (int round = 0; round < kRounds; ++round) {
        const CoreTimer timer;
        paint(image);
        words += sortWords();
        times.push_back(timer.ms());
    }
    Q_ASSERT(words > 0);
    std::ranges::nth_element(times, times.begin() + kRounds / 2);
    return times[kRounds / 2];
}

double noticeableMs() { return 100 * kSlowdown * paceMs(); }

bool answersInTime(const std::function<void(double& longestBlockMs)>& use) {
    constexpr int kMaxWindows = 3;
    for (int window = 0; window < kMaxWindows; ++window) {
        double longest = 0;
        use(longest);
        if (QTest::currentTestFailed()) return false;
        const double noticeable = noticeableMs();
        qInfo("longest block of the window %.1f ms; %.1f ms would be noticed", longest, noticeable);
        if (longest < noticeable) return true;
    }
    return false;
}

}  // namespace temper::ui
