// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/capture_studio.h"

#include <QLabel>
#include <QTabWidget>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/ui/cut_texts.h"
#include "ui/panels/evaluate/camera_view.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/live_picture.h"
#include "ui/panels/evaluate/picture_input.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/translation/languages.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

constexpr int kPatienceMs = 120'000;
constexpr size_t kPiece = 777;  // instants

}  // namespace

CaptureStudio::CaptureStudio(const QString& lesson) : lesson_(lesson) {
    fake.setCameras({"Built-in camera"});
    fake.setMicrophones({"Built-in microphone"});
    driver.window().work().capture.use(fake.devices());
}

void CaptureStudio::open(int epochs) {
    QVERIFY(driver.openLesson(lesson_));
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = epochs;
    driver.project().edit("epochs", spec);
    QVERIFY(QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs));
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    QVERIFY(
        QTest::qWaitFor([&] { return driver.run().state() == RunState::Finished; }, kPatienceMs));
    QVERIFY(driver.goTo("evaluate"));
    panel = qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
    panel->tabs()->setCurrentIndex(kTryIt);
    view = panel->tryView();
    view->refreshWeights();
    const auto* caption = view->findChild<QLabel*>("tryCaption");
    const QString step = integerText(driver.run().step());
    QVERIFY(QTest::qWaitFor([&] { return caption->text().contains(step); }, kPatienceMs));
}

std::vector<std::pair<QString, double>> CaptureStudio::answer() {
    const auto isIdle = [this] { return !driver.project().tasks()->isBusy(); };
    if (!QTest::qWaitFor(isIdle, kPatienceMs)) return {};
    std::vector<std::pair<QString, double>> classes;
    for (const auto& bar : view->bars()->bars()) classes.emplace_back(bar.name, bar.value);
    return classes;
}

QString CaptureStudio::cameraMessage() const {
    return view->picture()->camera()->picture()->message();
}

void CaptureStudio::sendInPieces(const Sound& sound) {
    const size_t piece = kPiece * static_cast<size_t>(sound.channels);
    for (size_t at = 0; at < sound.samples.size(); at += piece) {
        const size_t end = std::min(at + piece, sound.samples.size());
        fake.send(Sound{sound.rate,
                        sound.channels,
                        {sound.samples.begin() + static_cast<std::ptrdiff_t>(at),
                         sound.samples.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
}

void CaptureStudio::look(const QString& name) {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    QVERIFY(driver.window().grab().save(pictureFile(name)));
    const QStringList cut = cutTexts(driver.window());
    QVERIFY2(cut.isEmpty(), qPrintable(name + ": " + cut.join('\n')));
}

void addLanguages() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<ThemeMode>("theme");
    QTest::newRow("English") << "en" << ThemeMode::Light;
    QTest::newRow("German") << "de" << ThemeMode::Dark;
}

void inLanguageOfRow(
    const QString& lesson,
    const std::function<void(CaptureStudio& studio, const QString& prefix, bool isGerman)>& look) {
    QFETCH(QString, language);
    QFETCH(ThemeMode, theme);
    const bool isGerman = language == "de";
    installLanguage(*qApp, language);
    {
        CaptureStudio studio(lesson);
        studio.driver.window().appearance().setTheme(theme);
        studio.driver.window().resize(1150, 900);
        studio.open(2);
        look(studio, isGerman ? "de-" : "", isGerman);
    }
    installLanguage(*qApp, QString());
}

QImage noisyFrame(uint32_t seed, QSize size) {
    QImage image(size, QImage::Format_RGB888);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < 3 * image.width(); ++x) {
            seed = seed * 1664525 + 1013904223;
            image.scanLine(y)[x] = static_cast<uint8_t>(seed >> 26);
        }
    const int side = image.height() / 6 + static_cast<int>(seed % 97) * image.height() / 480;
    const int left = image.width() / 4, top = image.height() / 4;
    for (int y = top; y < top + side; ++y)
        std::fill_n(image.scanLine(y) + 3 * left, 3 * side, uint8_t{255});
    return image;
}

Sound tone(double rate, double hertz, double seconds, int channels) {
    Sound sound{rate, channels, {}};
    for (int i = 0; i < static_cast<int>(rate * seconds); ++i)
        for (int c = 0; c < channels; ++c)
            sound.samples.push_back(
                static_cast<float>(0.3 * std::sin(2 * std::numbers::pi * hertz * i / rate + c) *
                                   std::sin(std::numbers::pi * i / (rate * seconds))));
    return sound;
}

}  // namespace temper::ui
