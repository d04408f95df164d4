// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QTabWidget>
#include <QTest>
#include <algorithm>

#include "engine/data/image/image.h"
#include "tests/ui/capture_studio.h"
#include "ui/panels/evaluate/camera_view.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/live_picture.h"
#include "ui/panels/evaluate/picture_input.h"
#include "ui/panels/evaluate/sound_bar.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/panels/model/detail_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// Pictures from a camera: a fake one, used as by a person.
class CameraTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        studio_ = std::make_unique<CaptureStudio>("digits");
        studio_->open(2);
    }
    void cleanupTestCase() { studio_.reset(); }
    void init() {
        studio_->view->picture()->camera()->setPatience(std::chrono::minutes(10));
        studio_->fake.setCameras({"Built-in camera"});
    }

    void nothingIsInUseBeforeTheButton() {
        QVERIFY(studio_->fake.opened().isEmpty());
        QVERIFY(!studio_->view->sound()->isVisible());  // for models that take sounds
    }

    void aPictureOfTheCameraIsThatOfItsFile() {
        const QString path = studio_->driver.filePath("picture.png");
        QVERIFY(noisyFrame(1).save(path));
        studio_->view->openPicture(path);
        const auto ofFile = studio_->answer();
        openCamera();
        studio_->fake.send(noisyFrame(2));
        QVERIFY(studio_->driver.click("takePicture"));
        const auto ofOther = studio_->answer();
        openCamera();
        studio_->fake.send(noisyFrame(3));
        studio_->fake.send(noisyFrame(1));
        QVERIFY(studio_->driver.click("takePicture"));
        const auto ofCamera = studio_->answer();
        QCOMPARE(ofFile.size(), size_t{5});
        QVERIFY(ofCamera == ofFile);
        QVERIFY(ofOther != ofFile);
        QVERIFY(!studio_->view->canvas()->isDrawing());
    }

    /// Of an odd size, whose rows are padded.
    void rowsOfAnySizeAreTaken() {
        const QImage odd = noisyFrame(4, {321, 243});
        const QString path = studio_->driver.filePath("odd.png");
        QVERIFY(odd.save(path));
        studio_->view->openPicture(path);
        const auto ofFile = studio_->answer();
        openCamera();
        studio_->fake.send(odd);
        QVERIFY(studio_->driver.click("takePicture"));
        QVERIFY(studio_->answer() == ofFile);
    }

    void theBrightPartIsWhatTheModelGets() {
        LivePicture picture;
        picture.setPicture(noisyFrame(1));
        picture.setAspect(1);
        QCOMPARE(picture.taken(), QRect(80, 0, 480, 480));
        picture.setAspect(2);
        QCOMPARE(picture.taken(), QRect(0, 80, 640, 320));
        // resized() without scaling crops the same.
        Image whole(640, 480, 3);
        for (int y = 0; y < 480; ++y)
            std::copy_n(noisyFrame(1).constScanLine(y), 3 * 640, whole.row(y));
        const Image part = resized(whole, 480, 480, ImageFit::Crop);
        QVERIFY(std::equal(part.row(7), part.row(8), whole.row(7) + 3 * 80));
    }

    void theCameraIsReleased_data() {
        QTest::addColumn<QString>("by");
        for (const char* by : {"takePicture", "cancelCamera", "newDrawing", "nextSample", "Escape",
                               "another tab", "another page", "the window"})
            QTest::newRow(by) << by;
    }
    void theCameraIsReleased() {
        QFETCH(QString, by);
        WindowDriver& driver = studio_->driver;
        openCamera();
        studio_->fake.send(noisyFrame(1));
        CameraView* camera = studio_->view->picture()->camera();
        QVERIFY(camera->isVisible());
        if (by == "Escape") {
            QTest::keyClick(camera, Qt::Key_Escape);
        } else if (by == "another tab") {
            studio_->panel->tabs()->setCurrentIndex(0);
        } else if (by == "another page") {
            QVERIFY(driver.goTo("model"));
        } else if (by == "the window") {
            driver.window().hide();
        } else {
            QVERIFY(driver.click(by));
        }
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
        driver.window().show();
        QVERIFY(driver.goTo("evaluate"));
        studio_->panel->tabs()->setCurrentIndex(kTryIt);
        QVERIFY(!camera->isVisible());
        QVERIFY(studio_->view->canvas()->isVisible());
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
    }

    void failuresOfTheCameraAreExplained_data() {
        QTest::addColumn<CaptureFailure>("failure");
        QTest::addColumn<QString>("message");
        QTest::newRow("not opened")
            << CaptureFailure{CaptureFault::NotOpened, {}} << "Another program may be using it";
        QTest::newRow("unplugged")
            << CaptureFailure{CaptureFault::Unplugged, {}} << "was unplugged";
        QTest::newRow("other") << CaptureFailure{CaptureFault::Other, "code 7"} << "(code 7)";
    }
    void failuresOfTheCameraAreExplained() {
        QFETCH(CaptureFailure, failure);
        QFETCH(QString, message);
        openCamera();
        studio_->fake.send(noisyFrame(1));
        studio_->fake.failCamera(failure);
        QVERIFY2(studio_->cameraMessage().contains(message), qPrintable(studio_->cameraMessage()));
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
        // The button tries again.
        QVERIFY(studio_->driver.click("takePicture"));
        QCOMPARE(studio_->fake.camerasInUse(), QStringList{"id of Built-in camera"});
        QVERIFY(!studio_->driver.click("takePicture"));  // no picture yet
        studio_->fake.send(noisyFrame(1));
        QVERIFY(studio_->cameraMessage().isEmpty());
        QVERIFY(studio_->driver.click("takePicture"));
    }

    void aCameraWithoutPictureIsExplained() {
        studio_->view->picture()->camera()->setPatience(std::chrono::milliseconds(1));
        QVERIFY(studio_->driver.click("openCamera"));
        QTRY_VERIFY_WITH_TIMEOUT(studio_->cameraMessage().contains("sends no picture"),
                                 kPatienceMs);
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
        QVERIFY(studio_->driver.click("cancelCamera"));
    }

    void aCameraIsPluggedInAndOut() {
        studio_->fake.setCameras({});
        QVERIFY(studio_->driver.click("openCamera"));
        QVERIFY(studio_->cameraMessage().contains("No camera is connected"));
        studio_->fake.setCameras({"New camera"});
        QCOMPARE(studio_->fake.camerasInUse(), QStringList{"id of New camera"});
        studio_->fake.send(noisyFrame(1));
        QVERIFY(studio_->cameraMessage().isEmpty());
        studio_->fake.setCameras({});
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
        QVERIFY(studio_->cameraMessage().contains("was unplugged"));
        QVERIFY(studio_->driver.click("cancelCamera"));
        studio_->fake.setCameras({"New camera"});
        QVERIFY(studio_->fake.camerasInUse().isEmpty());
    }

    void aCameraIsChosen() {
        auto* choice = studio_->driver.window().findChild<QComboBox*>("cameraChoice");
        openCamera();
        QVERIFY(!choice->isVisible());
        studio_->fake.setCameras({"Built-in camera", "Document camera"});
        QVERIFY(choice->isVisible());
        QCOMPARE(studio_->fake.camerasInUse(), QStringList{"id of Built-in camera"});
        choice->setCurrentIndex(1);
        emit choice->activated(1);
        QCOMPARE(studio_->fake.camerasInUse(), QStringList{"id of Document camera"});
        QVERIFY(studio_->driver.click("cancelCamera"));
        openCamera();  // the choice stays
        QCOMPARE(studio_->fake.camerasInUse(), QStringList{"id of Document camera"});
        QVERIFY(studio_->driver.click("cancelCamera"));
    }

    void withoutTheModuleTheButtonsSayWhatToInstall() {
        CaptureModule missing("/nowhere/media.so");
        QVERIFY(!missing.isInstalled());
        QVERIFY(missing.devices() == nullptr);
        Workspace& work = studio_->driver.window().work();
        DetailView inspector;
        const PanelContext context{work.project, work.run,   work.controller, work.navigator,
                                   work.history, work.queue, work.training,   work.commands,
                                   inspector,    work.log,   work.settings,   missing};
        PictureInput picture(context);
        SoundBar sound(missing);
        picture.show();
        sound.show();
        for (const auto* button : {picture.findChild<QPushButton*>("openCamera"),
                                   sound.findChild<QPushButton*>("recordSound")}) {
            QVERIFY(!button->isEnabled());
            QVERIFY(button->toolTip().contains("temper-studio-media"));
        }
        QVERIFY(sound.findChild<QPushButton*>("openSound")->isEnabled());
        QVERIFY(studio_->driver.window().findChild<QPushButton*>("openCamera")->isEnabled());
    }

    void textsFitAndAreTranslated_data() { addLanguages(); }
    void textsFitAndAreTranslated() {
        inLanguageOfRow("digits", [](CaptureStudio& studio, const QString& prefix, bool isGerman) {
            studio.fake.setCameras({"Built-in camera", "Document camera with a long name"});
            QVERIFY(studio.driver.click("openCamera"));
            studio.fake.send(noisyFrame(1));
            studio.look(prefix + "camera");
            studio.fake.failCamera({CaptureFault::NotOpened, {}});
            QCOMPARE(studio.cameraMessage().contains("anderes Programm"), isGerman);
            studio.look(prefix + "camera-failed");
        });
    }

private:
    void openCamera() {
        QVERIFY(studio_->driver.click("openCamera"));
        QCOMPARE(studio_->fake.camerasInUse().size(), 1);
    }

    std::unique_ptr<CaptureStudio> studio_;
};

QTEST_MAIN(CameraTest)
#include "camera_test.moc"
