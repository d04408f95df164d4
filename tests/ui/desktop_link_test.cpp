// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusServer>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/window/desktop_link.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

/// Stands for the desktop: it keeps what it is told. Methods have D-Bus's names.
class FakeDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

public:
    struct Note {
        QString program, icon, title, text;
        QVariantMap hints;
    };

    FakeDesktop() {
        connect(&server_, &QDBusServer::newConnection, this, [this](QDBusConnection connection) {
            connection.registerObject(kPath, this, QDBusConnection::ExportAllSlots);
            connection.connect({}, {}, kLauncher, "Update", this, SLOT(progress(QDBusMessage)));
            connection_ = connection;
            isConnected_ = true;
        });
    }
    /// The connection forgets this object first: it is closed by a thread of Qt's, later, which asks
    /// the objects that it knows for their class.
    ~FakeDesktop() override {
        connection_.disconnect({}, {}, kLauncher, "Update", this, SLOT(progress(QDBusMessage)));
        connection_.unregisterObject(kPath);
    }

    /// The other end of a connection to this desktop.
    QDBusConnection connection() {
        static int number = 0;
        return QDBusConnection::connectToPeer(server_.address(),
                                              QString("desktop-%1").arg(++number));
    }
    bool isConnected() const { return isConnected_; }
    const QList<Note>& notes() const { return notes_; }
    /// Percents that were shown; -1: the bar was taken away.
    const QList<int>& percents() const { return percents_; }
    QString application() const { return application_; }

public slots:
    uint Notify(const QString& program, uint, const QString& icon, const QString& title,
                const QString& text, const QStringList&, const QVariantMap& hints, int) {
        notes_.append({program, icon, title, text, hints});
        return 1;
    }

private slots:
    void progress(const QDBusMessage& message) {
        application_ = message.arguments().value(0).toString();
        const auto state = qdbus_cast<QVariantMap>(message.arguments().value(1));
        const bool isShown = state.value("progress-visible").toBool();
        percents_ << (isShown ? qRound(100 * state.value("progress").toDouble()) : -1);
    }

private:
    static inline const QString kPath = "/org/freedesktop/Notifications";
    static inline const QString kLauncher = "com.canonical.Unity.LauncherEntry";

    QDBusServer server_;
    QDBusConnection connection_{"none yet"};
    bool isConnected_ = false;
    QList<Note> notes_;
    QList<int> percents_;
    QString application_;
};

/// What the desktop hears of a training.
class DesktopLinkTest : public QObject {
    Q_OBJECT

private slots:
    void aTrainingNobodyLooksAtIsAnnounced() {
        FakeDesktop desktop;
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        const DesktopLink link(driver.window(), driver.project(), driver.run(), bus);
        QVERIFY(driver.openLesson("iris"));
        driver.window().hide();
        QTRY_VERIFY(!driver.window().isActiveWindow());
        driver.window().training().start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(desktop.notes().size(), qsizetype{1}, kPatienceMs);
        const FakeDesktop::Note& note = desktop.notes().front();
        QCOMPARE(note.title, driver.project().name() + " is trained");
        QVERIFY2(note.text.contains("steps, lowest validation loss 0."), qPrintable(note.text));
        QCOMPARE(note.icon, QString("temper-studio"));
        QCOMPARE(note.hints.value("desktop-entry").toString(), QString("temper-studio"));
        QTRY_COMPARE(desktop.percents().value(desktop.percents().size() - 1), -1);
        QVERIFY(desktop.percents().size() > 1);
        QVERIFY(std::ranges::is_sorted(desktop.percents().first(desktop.percents().size() - 1)));
        QCOMPARE(desktop.application(), QString("application://temper-studio.desktop"));
    }

    void aTrainingThatIsLookedAtIsNot() {
        FakeDesktop desktop;
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        const DesktopLink link(driver.window(), driver.project(), driver.run(), bus);
        QVERIFY(driver.openLesson("iris"));
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        driver.window().training().start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY(!desktop.percents().isEmpty() && desktop.percents().back() == -1);
        QVERIFY(desktop.notes().isEmpty());
    }

    void withoutADesktopNothingHappens() {
        WindowDriver driver;
        const DesktopLink link(driver.window(), driver.project(), driver.run(),
                               QDBusConnection("nowhere"));
        QVERIFY(driver.openLesson("iris"));
        driver.window().hide();
        driver.window().training().start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    }
};

QTEST_MAIN(DesktopLinkTest)
#include "desktop_link_test.moc"
