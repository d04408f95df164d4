// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusServer>
#include <QDesktopServices>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include "tests/ui/window_driver.h"
#include "ui/theme/colors.h"
#include "ui/window/color_scheme.h"
#include "ui/window/desktop_link.h"
#include "ui/window/file_manager_link.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

/// Represents the desktop: it records what it receives. Methods have D-Bus's names.
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
            connection.registerObject(kPortalPath, kPortal, this, QDBusConnection::ExportAllSlots);
            connection.registerObject(kFilesPath, kFiles, this, QDBusConnection::ExportAllSlots);
            connection.connect({}, {}, kLauncher, "Update", this, SLOT(progress(QDBusMessage)));
            connection_ = connection;
            isConnected_ = true;
        });
    }
    /// The connection must forget this object first: a thread of Qt's closes it later and then
    /// queries the class of the objects that it knows.
    ~FakeDesktop() override {
        connection_.disconnect({}, {}, kLauncher, "Update", this, SLOT(progress(QDBusMessage)));
        connection_.unregisterObject(kPath);
        connection_.unregisterObject(kPortalPath);
        closeFileManager();
    }

    /// The other end of a connection to this desktop.
    QDBusConnection connection() {
        static int number = 0;
        return QDBusConnection::connectToPeer(server_.address(),
                                              QString("desktop-%1").arg(++number));
    }
    bool isConnected() const { return isConnected_; }
    const QList<Note>& notes() const { return notes_; }
    /// The percentages that were shown; -1: the bar was removed.
    const QList<int>& percents() const { return percents_; }
    QString application() const { return application_; }
    int questions() const { return questions_; }
    /// The files that the file manager was asked to show, as URLs.
    const QStringList& shownFiles() const { return shownFiles_; }
    void closeFileManager() { connection_.unregisterObject(kFilesPath); }

    /// 0: no preference, 1: dark, 2: light. Earlier readers are notified, too.
    void preferScheme(uint scheme) {
        scheme_ = scheme;
        if (isConnected_) sayChanged("org.freedesktop.appearance", "color-scheme", scheme);
    }
    void sayChanged(const QString& group, const QString& key, uint value) {
        QDBusMessage change = QDBusMessage::createSignal(kPortalPath, kPortal, "SettingChanged");
        change << group << key << QVariant::fromValue(QDBusVariant(value));
        connection_.send(change);
    }

public slots:
    uint Notify(const QString& program, uint, const QString& icon, const QString& title,
                const QString& text, const QStringList&, const QVariantMap& hints, int) {
        notes_.append({program, icon, title, text, hints});
        return 1;
    }

    void ShowItems(const QStringList& urls, const QString&) { shownFiles_ << urls; }

    /// The portal's method: returns a variant in a variant.
    QDBusVariant Read(const QString& group, const QString& key) {
        if (group == "org.freedesktop.appearance" && key == "color-scheme") ++questions_;
        return QDBusVariant(QVariant::fromValue(QDBusVariant(scheme_)));
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
    static inline const QString kPortalPath = "/org/freedesktop/portal/desktop";
    static inline const QString kPortal = "org.freedesktop.portal.Settings";
    static inline const QString kFilesPath = "/org/freedesktop/FileManager1";
    static inline const QString kFiles = "org.freedesktop.FileManager1";
    static inline const QString kLauncher = "com.canonical.Unity.LauncherEntry";

    QDBusServer server_;
    QDBusConnection connection_{"none yet"};
    bool isConnected_ = false;
    QList<Note> notes_;
    QList<int> percents_;
    QString application_;
    QStringList shownFiles_;
    uint scheme_ = 0;
    int questions_ = 0;
};

/// What the desktop learns about a training run, and what it reports about its colours.
class DesktopLinkTest : public QObject {
    Q_OBJECT

public slots:
    void openUrl(const QUrl& url) { opened_ << url.toString(); }

private slots:
    void anUnwatchedTrainingIsAnnounced() {
        FakeDesktop desktop;
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        const DesktopLink link(driver.window(), driver.project(), driver.run(), bus);
        QVERIFY(driver.openLesson("iris"));
        driver.window().hide();
        QTRY_VERIFY(!driver.window().isActiveWindow());
        driver.window().work().training.start()->trigger();
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

    void aWatchedTrainingIsNot() {
        FakeDesktop desktop;
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        const DesktopLink link(driver.window(), driver.project(), driver.run(), bus);
        QVERIFY(driver.openLesson("iris"));
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        driver.window().work().training.start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY(!desktop.percents().isEmpty() && desktop.percents().back() == -1);
        QVERIFY(desktop.notes().isEmpty());
    }

    void itsPreferenceOfColoursIsFollowed() {
        FakeDesktop desktop;
        desktop.preferScheme(1);
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        driver.window().appearance().setTheme(ThemeMode::System);
        QVERIFY(!isDark());
        const ColorScheme scheme(bus);
        connect(&scheme, &ColorScheme::changed, &driver.window().appearance(),
                &AppearanceActions::setDesktopMode);
        QTRY_VERIFY(isDark());
        QCOMPARE(desktop.questions(), 1);
        desktop.preferScheme(2);
        QTRY_VERIFY(!isDark());
        desktop.preferScheme(1);
        QTRY_VERIFY(isDark());
        desktop.preferScheme(0);
        QTRY_VERIFY(!isDark());  // like the desktop's palette
        driver.window().appearance().setSystemPalette(themePalette(darkColors()));
        QVERIFY(isDark());
        desktop.preferScheme(2);
        QTRY_VERIFY(!isDark());
    }

    void otherSettingsOfTheDesktopAndTheUsersChoiceStay() {
        FakeDesktop desktop;
        WindowDriver driver;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        const ColorScheme scheme(bus);
        const QSignalSpy changed(&scheme, &ColorScheme::changed);
        connect(&scheme, &ColorScheme::changed, &driver.window().appearance(),
                &AppearanceActions::setDesktopMode);
        QTRY_COMPARE(changed.size(), 1);
        driver.window().appearance().setTheme(ThemeMode::Light);
        desktop.sayChanged("org.freedesktop.appearance", "contrast", 1);
        desktop.sayChanged("org.gnome.desktop.interface", "color-scheme", 1);
        desktop.preferScheme(1);
        QTRY_COMPARE(changed.size(), 2);  // messages arrive in order
        QVERIFY(!isDark());
        driver.window().appearance().setTheme(ThemeMode::System);
        QVERIFY(isDark());
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

    void aFileIsShownInTheFileManager() {
        FakeDesktop desktop;
        const QDBusConnection bus = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        Navigator navigator;
        const FileManagerLink link(navigator, bus);
        emit navigator.folderRequested("/my models/trained model.onnx");
        QTRY_COMPARE(desktop.shownFiles(), QStringList{"file:///my%20models/trained%20model.onnx"});
    }

    void withoutAFileManagerTheFolderIsOpened_data() {
        QTest::addColumn<bool>("hasBus");
        QTest::newRow("no bus") << false;
        QTest::newRow("nobody answers") << true;
    }
    void withoutAFileManagerTheFolderIsOpened() {
        QFETCH(bool, hasBus);
        FakeDesktop desktop;
        const QDBusConnection connection = desktop.connection();
        QTRY_VERIFY(desktop.isConnected());
        desktop.closeFileManager();
        Navigator navigator;
        const FileManagerLink link(navigator, hasBus ? connection : QDBusConnection("nowhere"));
        opened_.clear();
        QDesktopServices::setUrlHandler("file", this, "openUrl");
        emit navigator.folderRequested("/my models/trained.onnx");
        QTRY_COMPARE_WITH_TIMEOUT(opened_, QStringList{"file:///my models"}, kPatienceMs);
        QDesktopServices::unsetUrlHandler("file");
    }

    void withoutADesktopNothingHappens() {
        const ColorScheme scheme(QDBusConnection("nowhere"));
        const QSignalSpy changed(&scheme, &ColorScheme::changed);
        WindowDriver driver;
        const DesktopLink link(driver.window(), driver.project(), driver.run(),
                               QDBusConnection("nowhere"));
        QVERIFY(driver.openLesson("iris"));
        driver.window().hide();
        driver.window().work().training.start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(changed.isEmpty());
    }

private:
    static bool isDark() { return &colorsOf(QApplication::palette()) == &darkColors(); }

    QStringList opened_;
};

QTEST_MAIN(DesktopLinkTest)
#include "desktop_link_test.moc"
