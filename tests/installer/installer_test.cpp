// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>

#include "tests/installer/shell.h"

using temper::test::bashOutput;

static QString sourcePath(const QString& path) {
    return QStringLiteral(TEMPER_SOURCE_DIR "/") + path;
}

static QString readText(const QString& path) {
    QFile file(sourcePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

static QStringList packagesOf(const QString& sections) {
    return bashOutput("TEMPER_ROOT=$PWD; source tools/common.sh; packages_of " + sections)
        .split('\n', Qt::SkipEmptyParts);
}

class InstallerTest : public QObject {
    Q_OBJECT

private slots:
    void scriptsExplainThemselves_data();
    void scriptsExplainThemselves();
    void sectionsOfThePackageListAreReadOneByOne();
    void noPackageIsListedTwice();
    void whatIsInstalledIsNotInstalledAgain();
    void theReleaseOfARootIsRead_data();
    void theReleaseOfARootIsRead();
    void scriptsNameNoReleaseButTheTriedOne();
    void everyLibraryOfTheCMakePackageIsADependency();
    void xmlFilesAreWellFormed_data();
    void xmlFilesAreWellFormed();
    void theDesktopEntryStartsTheStudioWithItsIconAndFileType();
};

void InstallerTest::scriptsExplainThemselves_data() {
    QTest::addColumn<QString>("script");
    for (const char* script : {"run", "test", ".ci/run", "tools/test_modes.sh"})
        QTest::newRow(script) << script;
}

void InstallerTest::scriptsExplainThemselves() {
    QFETCH(QString, script);
    const QString help = bashOutput("./" + script + " --help");
    QVERIFY2(help.startsWith("usage: "), qPrintable(help));
    QVERIFY(help.contains("usage: " + QString(script.contains('/') ? script : "./" + script)));
}

void InstallerTest::sectionsOfThePackageListAreReadOneByOne() {
    const QStringList build = packagesOf("build"), studio = packagesOf("studio");
    QVERIFY(build.contains("libdnnl-dev"));
    QVERIFY(!build.contains("qt6-base-dev"));
    QVERIFY(studio.contains("qt6-base-dev"));
    QCOMPARE(packagesOf("build studio"), build + studio);
    QVERIFY(packagesOf("nonsense").isEmpty());
}

void InstallerTest::noPackageIsListedTwice() {
    QStringList packages = packagesOf("build studio media mpi test ci package lessons");
    QVERIFY(packages.size() > 20);
    QCOMPARE(packages.removeDuplicates(), 0);
}

void InstallerTest::whatIsInstalledIsNotInstalledAgain() {
    if (bashOutput("command -v dpkg-query || true").isEmpty()) QSKIP("dpkg-query is not here");
    const QString output = bashOutput(
        "TEMPER_ROOT=$PWD; source tools/common.sh\n"
        "packages_of() { echo bash; }\n"
        "as_root() { echo called; }\n"
        "install_packages build 2>&1");
    QCOMPARE(output, QString());
}

void InstallerTest::theReleaseOfARootIsRead_data() {
    QTest::addColumn<QByteArray>("release");
    QTest::addColumn<QString>("codename");
    QTest::newRow("Debian 12") << QByteArray("ID=debian\nVERSION_CODENAME=bookworm\n")
                               << "bookworm";
    QTest::newRow("in quotes") << QByteArray("VERSION_CODENAME=\"trixie\"\nID=debian\n")
                               << "trixie";
    QTest::newRow("none") << QByteArray("ID=arch\n") << "";
}

void InstallerTest::theReleaseOfARootIsRead() {
    QFETCH(QByteArray, release);
    const QTemporaryDir root;
    QVERIFY(QDir(root.path()).mkpath("etc"));
    QFile file(root.filePath("etc/os-release"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(release) == release.size());
    file.close();
    QTEST(bashOutput("TEMPER_ROOT=$PWD; source tools/common.sh; codename_in " + root.path())
              .trimmed(),
          "codename");
}

/// They work on all releases; tools/debian13.sh tries another than the machine's.
void InstallerTest::scriptsNameNoReleaseButTheTriedOne() {
    const QString found = bashOutput(
        "grep -rnwE 'bullseye|bookworm|trixie|forky' run test tools installer tests/installer "
        "tests/support --include='*.sh' --include='*.cmake' --include='*.txt' --include=run "
        "--include=test || true");
    QVERIFY2(found.startsWith("tools/debian13.sh:") && found.count('\n') == 1, qPrintable(found));
}

/// Programs of others link the libraries that the engine is built with, too.
void InstallerTest::everyLibraryOfTheCMakePackageIsADependency() {
    const QString packages = readText("installer/cpack.cmake");
    const QString depends = packages.mid(packages.indexOf("LIBTEMPER-DEV_PACKAGE_DEPENDS"));
    const QStringList notLinked{"libcli11-dev", "libflatbuffers-dev", "nlohmann-json3-dev"};
    for (const QString& package : packagesOf("build")) {
        if (!package.endsWith("-dev") || notLinked.contains(package)) continue;
        QVERIFY2(depends.contains(package), qPrintable(package));
    }
    QVERIFY(depends.contains("pkg-config"));
}

void InstallerTest::xmlFilesAreWellFormed_data() {
    QTest::addColumn<QString>("path");
    for (const QString& folder : {QStringLiteral("installer"), QStringLiteral("installer/icons"),
                                  QStringLiteral("resources/icons")}) {
        const QDir files(sourcePath(folder), "*.xml *.svg");
        for (const QString& name : files.entryList()) {
            QTest::newRow(qPrintable(name)) << folder + "/" + name;
        }
    }
}

void InstallerTest::xmlFilesAreWellFormed() {
    QFETCH(QString, path);
    QXmlStreamReader reader(readText(path));
    while (!reader.atEnd()) reader.readNext();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
}

void InstallerTest::theDesktopEntryStartsTheStudioWithItsIconAndFileType() {
    QSettings entry(sourcePath("installer/temper-studio.desktop"), QSettings::IniFormat);
    entry.beginGroup("Desktop Entry");
    QCOMPARE(entry.value("Exec").toString(), QString("temper-studio %F"));
    QVERIFY(readText("installer/temper-studio.desktop").contains("inode/directory;"));
    const QString icon = "resources/icons/" + entry.value("Icon").toString() + ".svg";
    QVERIFY2(QFile::exists(sourcePath(icon)), qPrintable(icon));
    QVERIFY(readText("installer/temper-studio-mime.xml").contains("type=\"application/x-onnx\""));
    QVERIFY(readText("installer/temper-studio.desktop").contains("MimeType=application/x-onnx;"));
}

QTEST_GUILESS_MAIN(InstallerTest)
#include "installer_test.moc"
