// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QProgressBar>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/ui/capture_studio.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/row_model.h"
#include "ui/panels/evaluate/sound_bar.h"
#include "ui/panels/evaluate/try_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// As a WAV file of 32-bit floats.
void writeWav(const QString& path, const Sound& sound) {
    const auto bytes = static_cast<uint32_t>(4 * sound.samples.size());
    const auto word = [](auto value) {
        return QByteArray(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const auto rate = static_cast<uint32_t>(sound.rate);
    const auto channels = static_cast<uint16_t>(sound.channels);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("RIFF" + word(36 + bytes) + "WAVEfmt " + word(uint32_t{16}) + word(uint16_t{3}) +
               word(channels) + word(rate) + word(4 * channels * rate) +
               word(static_cast<uint16_t>(4 * channels)) + word(uint16_t{32}) + "data" +
               word(bytes));
    file.write(reinterpret_cast<const char*>(sound.samples.data()), bytes);
}

}  // namespace

/// Sounds from a microphone: a fake one, used as by a person.
class MicrophoneTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        studio_ = std::make_unique<CaptureStudio>("tones");
        studio_->open(5);
    }
    void cleanupTestCase() { studio_.reset(); }
    void init() {
        studio_->view->sound()->setPatience(std::chrono::minutes(10));
        studio_->fake.setMicrophones({"Built-in microphone"});
    }

    void soundsAreRecorded() {
        QVERIFY(studio_->view->sound()->isVisible());
        QVERIFY(studio_->fake.opened().isEmpty());  // not before the button is pressed
    }

    void aRecordingIsThatOfItsFile_data() {
        QTest::addColumn<double>("rate");
        QTest::addColumn<int>("channels");
        QTest::newRow("4000 Hz") << 4000.0 << 1;
        QTest::newRow("44100 Hz, stereo") << 44100.0 << 2;
        QTest::newRow("48000 Hz") << 48000.0 << 1;
    }
    void aRecordingIsThatOfItsFile() {
        QFETCH(double, rate);
        QFETCH(int, channels);
        const Sound sound = tone(rate, 392, 1, channels);
        const QString path = studio_->driver.filePath("tone.wav");
        writeWav(path, sound);
        studio_->view->openSound(path);
        const auto ofFile = studio_->answer();
        const std::vector<double> fileValues = studio_->view->row()->values();
        QVERIFY(studio_->driver.click("nextSample"));
        QVERIFY(studio_->answer() != ofFile);
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->sendInPieces(sound);
        QVERIFY(!studio_->view->sound()->isRecording());
        const auto ofMicrophone = studio_->answer();
        QCOMPARE(ofFile.size(), size_t{4});
        QVERIFY(ofMicrophone == ofFile);
        QVERIFY(studio_->view->row()->values() == fileValues);
        QCOMPARE(fileValues.size(), size_t{128});
    }

    void aRecordingEndsByItselfOrByHand() {
        SoundBar* bar = studio_->view->sound();
        QVERIFY(studio_->driver.click("recordSound"));
        QCOMPARE(studio_->fake.microphonesInUse(), QStringList{"id of Built-in microphone"});
        studio_->fake.send(tone(8000, 300, 0.9));
        QVERIFY(bar->isRecording());
        studio_->fake.send(tone(8000, 300, 0.2));  // a second is complete
        QVERIFY(!bar->isRecording());
        QVERIFY(studio_->fake.microphonesInUse().isEmpty());
        studio_->answer();
        const std::vector<double> before = studio_->view->row()->values();
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->fake.send(tone(8000, 600, 0.3));
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(studio_->fake.microphonesInUse().isEmpty());
        studio_->answer();
        QVERIFY(studio_->view->row()->values() != before);
        QVERIFY(bar->message().isEmpty());
    }

    void failuresOfTheMicrophoneAreExplained() {
        SoundBar* bar = studio_->view->sound();
        const std::vector<double> before = studio_->view->row()->values();
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->fake.send(tone(8000, 300, 0.5));
        studio_->fake.failMicrophone({CaptureFault::NotOpened, {}});
        QVERIFY(bar->message().contains("Another program may be using it"));
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(bar->message().isEmpty());
        studio_->fake.send(tone(8000, 300, 0.5));
        studio_->fake.setMicrophones({});
        QVERIFY(bar->message().contains("was unplugged"));
        QVERIFY(studio_->fake.microphonesInUse().isEmpty());
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(bar->message().contains("No microphone is connected"));
        studio_->fake.setMicrophones({"New microphone"});
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(bar->message().contains("Nothing was recorded"));
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->fake.send(Sound{8000, 1, std::vector<float>(8000, 0.0F)});
        QVERIFY(bar->message().contains("silent"));
        bar->setPatience(std::chrono::milliseconds(1));
        QVERIFY(studio_->driver.click("recordSound"));
        QTRY_VERIFY_WITH_TIMEOUT(bar->message().contains("sends no sound"), kPatienceMs);
        QVERIFY(studio_->fake.microphonesInUse().isEmpty());
        studio_->answer();
        QVERIFY(studio_->view->row()->values() == before);
    }

    void theMicrophoneIsReleased() {
        for (const int tab : {0, kTryIt}) {
            studio_->panel->tabs()->setCurrentIndex(kTryIt);
            QVERIFY(studio_->driver.click("recordSound"));
            studio_->fake.send(tone(8000, 300, 0.5));
            tab == 0 ? studio_->panel->tabs()->setCurrentIndex(0) : studio_->driver.window().hide();
            QVERIFY(studio_->fake.microphonesInUse().isEmpty());
            QVERIFY(!studio_->view->sound()->isRecording());
            studio_->driver.window().show();
        }
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(studio_->driver.click("nextSample"));
        QVERIFY(studio_->fake.microphonesInUse().isEmpty());
    }

    void aMicrophoneIsChosen() {
        auto* choice = studio_->driver.window().findChild<QComboBox*>("microphoneChoice");
        studio_->fake.setMicrophones({"Built-in microphone", "Headset"});
        QVERIFY(studio_->driver.click("recordSound"));
        QVERIFY(choice->isVisible());
        choice->setCurrentIndex(1);
        emit choice->activated(1);
        QCOMPARE(studio_->fake.microphonesInUse(), QStringList{"id of Headset"});
        QVERIFY(studio_->driver.click("nextSample"));
    }

    void theLevelFollows() {
        const auto* level = studio_->driver.window().findChild<QProgressBar*>("soundLevel");
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->fake.send(Sound{8000, 1, {0.0F, 1.0F, 0.0F}});
        QCOMPARE(level->value(), 60);  // decibels above the least
        studio_->fake.send(Sound{8000, 1, {0.0F, -0.1F}});
        QCOMPARE(level->value(), 40);
        studio_->fake.send(Sound{8000, 1, {0.0F}});
        QCOMPARE(level->value(), 0);
        QVERIFY(studio_->driver.click("recordSound"));
        QCOMPARE(level->value(), 0);
    }

    /// What the data do not tell can be said, also after the recording.
    void rateAndLoudnessChangeTheInput() {
        QVERIFY(studio_->driver.click("recordSound"));
        studio_->sendInPieces(tone(8000, 392, 1));
        studio_->answer();
        const std::vector<double> at4000 = studio_->view->row()->values();
        auto* rate = studio_->driver.window().findChild<QComboBox*>("soundRate");
        QCOMPARE(rate->currentText(), QString("4000"));
        rate->setCurrentText("8000");
        studio_->answer();
        const std::vector<double> at8000 = studio_->view->row()->values();
        QVERIFY(at8000 != at4000);
        auto* loudness = studio_->driver.window().findChild<QCheckBox*>("matchLoudness");
        loudness->setChecked(false);
        studio_->answer();
        const std::vector<double> asRecorded = studio_->view->row()->values();
        const auto loudest = static_cast<size_t>(std::ranges::max_element(at8000) - at8000.begin());
        const double factor = asRecorded[loudest] / at8000[loudest];
        QVERIFY(factor > 0 && std::abs(factor - 1) > 0.01);
        for (size_t i = 0; i < asRecorded.size(); ++i)
            QVERIFY(std::abs(asRecorded[i] - factor * at8000[i]) < 1e-5);
        loudness->setChecked(true);
        rate->setCurrentText("4000");
        studio_->answer();
        QVERIFY(studio_->view->row()->values() == at4000);
        // A sample of the data is not a recording.
        QVERIFY(studio_->driver.click("nextSample"));
        studio_->answer();
        const std::vector<double> sample = studio_->view->row()->values();
        rate->setCurrentText("8000");
        studio_->answer();
        QVERIFY(studio_->view->row()->values() == sample);
        rate->setCurrentText("4000");
    }

    void aBadSoundFileIsRefused() {
        const QString path = studio_->driver.filePath("text.wav");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("la la la");
        file.close();
        studio_->view->openSound(path);
        studio_->answer();
        QVERIFY(studio_->driver.message().contains("is not a WAV file"));
    }

    void textsFitAndAreTranslated_data() { addLanguages(); }
    void textsFitAndAreTranslated() {
        inLanguageOfRow("tones", [](CaptureStudio& studio, const QString& prefix, bool isGerman) {
            studio.fake.setMicrophones({"Built-in microphone", "Headset with a long name"});
            QVERIFY(studio.driver.click("recordSound"));
            studio.fake.send(tone(8000, 392, 0.7));
            studio.look(prefix + "recording");
            studio.fake.send(tone(8000, 500, 0.3));
            studio.answer();
            studio.look(prefix + "recorded");
            QVERIFY(studio.driver.click("recordSound"));
            studio.fake.failMicrophone({CaptureFault::Unplugged, {}});
            QCOMPARE(studio.view->sound()->message().contains("getrennt"), isGerman);
            studio.look(prefix + "recording-failed");
        });
    }

private:
    std::unique_ptr<CaptureStudio> studio_;
};

QTEST_MAIN(MicrophoneTest)
#include "microphone_test.moc"
