// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/input_scale.h"

#include <QComboBox>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/data_spec.h"
#include "tests/ui/picture_folder.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

template <typename T>
T* find(WindowDriver& driver, const char* name) {
    return driver.window().pages().page("data")->findChild<T*>(QString::fromLatin1(name));
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
}

}  // namespace

/// How inputs are normalized, chosen on the page Data.
class InputScaleTest : public QObject {
    Q_OBJECT

private slots:
    void picturesAreScaledAsChosen_data() {
        QTest::addColumn<InputScale::Kind>("kind");
        QTest::addColumn<QString>("options");
        using Kind = InputScale::Kind;
        QTest::newRow("0 to 1") << Kind::Usual << "";
        QTest::newRow("-1 to 1") << Kind::FromMinusOne << "mean=0.5&std=0.5";
        QTest::newRow("ImageNet") << Kind::ImageNet
                                  << "mean=0.485,0.456,0.406&std=0.229,0.224,0.225";
        QTest::newRow("measured") << Kind::Standard << "normalize=standard";
        QTest::newRow("unchanged") << Kind::Unchanged << "normalize=none";
    }
    /// The numbers that the model gets are those of the formula (x / 255 - mean) / deviation.
    void picturesAreScaledAsChosen() {
        QFETCH(InputScale::Kind, kind);
        QFETCH(QString, options);
        const QTemporaryDir folder;
        writePictureFolder(folder.filePath("shapes"), 2, 6);
        const std::string source = "images:" + folder.filePath("shapes").toStdString();
        DataSpec spec = parseDataSpec(source, {});
        spec.options["normalize"] = "standard";
        setInputScale(spec.options, {kind});
        QCOMPARE(QString::fromStdString(formatDataSpec(spec)).section('?', 1), options);
        QVERIFY(inputScaleIn(spec.options, true) == InputScale{kind});
        const ImageForm form{3, 24, 32, false};
        const auto raw = loadData(source + "?normalize=none", {}, form);
        const auto scaled = loadData(formatDataSpec(spec), {}, form);
        QVERIFY(hasPictures(*scaled) && hasColorPictures(*scaled));
        const InputScale given = givenScale({kind}, scaled.get());
        const Tensor before = raw->training()->get(0, 0).cast(DType::Float32);
        const Tensor after = scaled->training()->get(0, 0).cast(DType::Float32);
        const auto channel = static_cast<size_t>(before.numElements()) / 3;
        const double unit = kind == InputScale::Kind::Unchanged ? 1 : 255;
        for (size_t i = 0; i < 3 * channel; i += 7) {
            const size_t at = i / channel;
            const double mean = given.mean[given.mean.size() == 1 ? 0 : at];
            const double deviation = given.deviation[given.deviation.size() == 1 ? 0 : at];
            const double expected = (double{before.values<float>()[i]} / unit - mean) / deviation;
            QVERIFY(std::abs(double{after.values<float>()[i]} - expected) < 1e-4);
        }
    }

    void meanAndDeviationAreTyped() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(2);
        auto* kinds = find<QComboBox>(driver, "data-normalize");
        auto* mean = find<QLineEdit>(driver, "data-mean");
        auto* deviation = find<QLineEdit>(driver, "data-std");
        const auto choose = [&](InputScale::Kind kind) {
            kinds->setCurrentIndex(kinds->findData(static_cast<int>(kind)));
            emit kinds->activated(kinds->currentIndex());
        };
        const auto options = [&] {
            return QString::fromStdString(driver.project().spec().run.data).section('?', 1);
        };
        QVERIFY(kinds->isVisible() && !mean->isVisible());
        // Columns of a table are no pixels.
        const auto* items = qobject_cast<QStandardItemModel*>(kinds->model());
        QVERIFY(!items->item(kinds->findData(int(InputScale::Kind::ImageNet)))->isEnabled());
        choose(InputScale::Kind::Standard);
        QVERIFY(isIdle(driver));
        const auto measured = driver.project().data()->opened.normalization.begin()->second;
        // What was measured is where typing starts.
        choose(InputScale::Kind::Given);
        QVERIFY(isIdle(driver));
        QVERIFY(mean->isVisible() && deviation->isVisible());
        const auto typed = driver.project().data()->opened.normalization.begin()->second;
        QCOMPARE(typed.mean, measured.mean);
        QCOMPARE(typed.deviation, measured.deviation);
        type(mean, "5.8, 3, 3.7, 1.2");
        type(deviation, "1");
        QVERIFY(isIdle(driver));
        // One deviation is that of all columns.
        QVERIFY2(options().contains("mean=5.8,3,3.7,1.2&") && options().contains("std=1,1,1,1"),
                 qPrintable(options()));
        QVERIFY2(driver.project().data() != nullptr, qPrintable(driver.message()));
        QCOMPARE(driver.project().data()->opened.normalization.begin()->second.mean,
                 (std::vector<double>{5.8, 3, 3.7, 1.2}));
        // Two numbers do not fit four columns.
        type(mean, "5.8, 3");
        QVERIFY(isIdle(driver));
        QVERIFY2(driver.message().contains("do not match column"), qPrintable(driver.message()));
        driver.project().undoStack()->undo();
        QVERIFY(isIdle(driver));
        QCOMPARE(mean->text(), QString("5.8, 3, 3.7, 1.2"));
        choose(InputScale::Kind::Unchanged);
        QVERIFY(isIdle(driver));
        QVERIFY(!mean->isVisible() && !options().contains("mean"));
    }
};

QTEST_MAIN(InputScaleTest)
#include "input_scale_test.moc"
