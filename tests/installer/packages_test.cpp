// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/installer/shell.h"

using temper::test::bashOutput;
using temper::test::hasProgram;

static const QStringList kPackages = [] {
    QStringList names{"temper", "temper-studio", "libtemper1", "libtemper-dev"};
    if (TEMPER_HAS_MEDIA) names << "temper-studio-media";
    if (TEMPER_HAS_MPI) names << "temper-mpi";
    if (TEMPER_HAS_PYTHON) names << "python3-temper";
    return names;
}();

/// The Debian packages, made from this build: their fields, their files, and that a second build
/// gives the same packages. tests/installer/check_packages.sh installs them.
class PackagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void packagesNameWhatTheyNeed_data();
    void packagesNameWhatTheyNeed();
    void packagesHoldTheirDocuments_data();
    void packagesHoldTheirDocuments();
    void theLibraryIsPreparedForTheLinker();
    void thePythonPackageIsTheModule();
    void everySubcommandHasAManualPage();
    void manualPagesAreWithoutWarnings();
    void theChangesAreThoseOfThisVersion();
    void desktopFilesAreValid();
    void packagesMadeTwiceAreTheSame();

private:
    QString package(const QString& name) const {
        return folder_.filePath("first/" + name + "_" TEMPER_VERSION "_*.deb");
    }
    QString root(const QString& path = {}) const { return folder_.filePath("root/" + path); }
    void make(const QString& folder) const {
        bashOutput("cd " TEMPER_BINARY_DIR "; unset SOURCE_DATE_EPOCH\n" TEMPER_CPACK
                   " -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=none -B " +
                   folder_.filePath(folder) + " 2>&1");
    }

    const QTemporaryDir folder_;
};

void PackagesTest::initTestCase() {
    if (!hasProgram("dpkg-deb") || !hasProgram("dpkg-shlibdeps")) QSKIP("dpkg-dev is not here");
    if (!hasProgram("file")) QSKIP("file is not here");
    if (!QFileInfo(TEMPER_BINARY_DIR).isWritable()) QSKIP("this user can't write to the build");
    make("first");
    for (const QString& name : kPackages) {
        bashOutput("dpkg-deb -x " + package(name) + " " + root());
    }
}

void PackagesTest::packagesNameWhatTheyNeed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("needed");
    QTest::addColumn<QString>("unwanted");
    QTest::newRow("temper") << "temper" << QStringList{"libc6 (>=", "libprotobuf", "libdnnl"}
                            << "qt6";
    QTest::newRow("temper-studio")
        << "temper-studio" << QStringList{"libc6 (>=", "libqt6widgets6", "libqcustomplot"}
        << "multimedia";
    QTest::newRow("libtemper1") << "libtemper1"
                                << QStringList{"libc6 (>=", "libprotobuf", "libdnnl"} << "qt6";
    if (TEMPER_HAS_MEDIA) {
        QTest::newRow("temper-studio-media")
            << "temper-studio-media" << QStringList{"temper-studio (= ", "libqt6multimedia6"}
            << "libqt6widgets6";
    }
    if (TEMPER_HAS_MPI) {
        QTest::newRow("temper-mpi")
            << "temper-mpi" << QStringList{"temper (= ", "openmpi-bin", "libopenmpi"} << "qt6";
    }
    QTest::newRow("libtemper-dev")
        << "libtemper-dev" << QStringList{"libtemper1 (= ", "libdnnl-dev", "libsqlite3-dev"}
        << "qt6";
    if (TEMPER_HAS_PYTHON) {
        QTest::newRow("python3-temper")
            << "python3-temper"
            << QStringList{"temper (= ", "python3-numpy", "python3 (<<", "libprotobuf"} << "qt6";
    }
}

void PackagesTest::packagesNameWhatTheyNeed() {
    QFETCH(QString, name);
    QFETCH(QStringList, needed);
    QFETCH(QString, unwanted);
    const auto field = [&](const QString& key) {
        return bashOutput("dpkg-deb -f " + package(name) + " " + key).trimmed();
    };
    QCOMPARE(field("Version"), QString(TEMPER_VERSION));
    const QString depends = field("Depends");
    for (const QString& library : needed) QVERIFY2(depends.contains(library), qPrintable(depends));
    QVERIFY2(!depends.contains(unwanted), qPrintable(depends));
    QVERIFY(!field("Description").isEmpty() && field("Maintainer").contains('@'));
    // cpack counts a library once for each of its two names
    const int kilobytes = name == "libtemper1" ? 30'000 : 20'000;
    if (name != "libtemper-dev") QVERIFY(field("Installed-Size").toInt() < kilobytes);
}

void PackagesTest::packagesHoldTheirDocuments_data() {
    QTest::addColumn<QString>("path");
    for (const char* path :
         {"doc/temper/copyright",
          "doc/temper/changelog.gz",
          "doc/temper-studio/copyright",
          "doc/temper-studio/changelog.gz",
          "doc/libtemper1/copyright",
          "doc/libtemper1/changelog.gz",
          "doc/libtemper-dev/copyright",
          "doc/libtemper-dev/changelog.gz",
          "doc/libtemper-dev/c_api.md",
          "doc/libtemper-dev/plugins.md",
          "doc/libtemper-dev/examples/linear/linear.c",
          "doc/libtemper-dev/examples/swish/swish.cpp",
          "doc/libtemper-dev/examples/template/CMakeLists.txt",
          "man/man1/temper-studio.1.gz",
          "bash-completion/completions/temper",
          "zsh/vendor-completions/_temper",
          "fish/vendor_completions.d/temper.fish",
          "bash-completion/completions/temper-studio",
          "zsh/vendor-completions/_temper-studio",
          "fish/vendor_completions.d/temper-studio.fish",
          "applications/temper-studio.desktop",
          "metainfo/temper-studio.metainfo.xml",
          "mime/packages/temper-studio.xml",
          "icons/hicolor/scalable/apps/temper-studio.svg",
          "icons/hicolor/scalable/mimetypes/application-x-onnx.svg",
          "icons/hicolor/scalable/mimetypes/application-x-onnx-checkpoint.svg"}) {
        QTest::newRow(path) << QString(path);
    }
}

void PackagesTest::packagesHoldTheirDocuments() {
    QFETCH(QString, path);
    QFile file(root("usr/share/" + path));
    QVERIFY2(file.exists(), qPrintable(file.fileName()));
    QVERIFY(file.size() > 0);
}

/// The linker finds the library by its soname, other packages by their dependency.
void PackagesTest::theLibraryIsPreparedForTheLinker() {
    const QString control = folder_.filePath("control");
    bashOutput("dpkg-deb -e " + package("libtemper1") + " " + control);
    QCOMPARE(bashOutput("cat " + control + "/triggers"), QString("activate-noawait ldconfig\n"));
    QVERIFY(bashOutput("cat " + control + "/shlibs").startsWith("libtemper 1 libtemper1 "));
    const QStringList libraries =
        bashOutput("cd " + root("usr/lib") + "; find . -name 'libtemper.so*' | sort")
            .split('\n', Qt::SkipEmptyParts);
    QCOMPARE(libraries.size(), 3);
    QVERIFY(bashOutput("dpkg-deb -c " + package("libtemper1")).contains("libtemper.so.1 -> "));
    QVERIFY(bashOutput("dpkg-deb -c " + package("libtemper-dev")).contains("libtemper.so -> "));
}

/// Its command line is that of the package temper.
void PackagesTest::thePythonPackageIsTheModule() {
    if (!TEMPER_HAS_PYTHON) QSKIP("the module is not built");
    QVERIFY(QFile::exists(root("usr/share/doc/python3-temper/changelog.gz")));
    const QString python = "cd /; export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" +
                           root("usr/lib/python3/dist-packages") + "; /usr/bin/python3 ";
    if (bashOutput("/usr/bin/python3 -c 'import numpy' && echo yes || true").isEmpty())
        QSKIP("numpy is not here");
    QCOMPARE(bashOutput(python + "-c 'import temper; print(temper.__version__)'"),
             QString(TEMPER_VERSION "\n"));
    QVERIFY(bashOutput(python + "-m temper --version").startsWith("temper " TEMPER_VERSION));
}

void PackagesTest::everySubcommandHasAManualPage() {
    const QStringList commands =
        bashOutput(root("usr/bin/temper") +
                   " --help | awk '/^Subcommands:$/ { on = 1; next } on && NF { print $1 }'")
            .split('\n', Qt::SkipEmptyParts);
    QVERIFY(commands.size() > 10);
    for (const QString& command : commands) {
        const QString page =
            bashOutput("zcat " + root("usr/share/man/man1/temper-") + command + ".1.gz");
        QVERIFY2(page.contains(".SH SYNOPSIS") && page.contains(".SH \"OPTIONS\""),
                 qPrintable(command));
    }
}

void PackagesTest::manualPagesAreWithoutWarnings() {
    if (!hasProgram("groff")) QSKIP("groff is not here");
    QCOMPARE(bashOutput("for page in " + root("usr/share/man/man1/*.gz") +
                        "; do zcat $page | groff -man -Tutf8 -ww -z 2>&1; done"),
             QString());
}

void PackagesTest::theChangesAreThoseOfThisVersion() {
    const QString changes = bashOutput("zcat " + root("usr/share/doc/temper/changelog.gz"));
    QVERIFY2(changes.startsWith("temper (" TEMPER_VERSION ") "), qPrintable(changes));
    if (!hasProgram("dpkg-parsechangelog")) QSKIP("dpkg-parsechangelog is not here");
    QCOMPARE(bashOutput("zcat " + root("usr/share/doc/temper/changelog.gz") +
                        " | dpkg-parsechangelog -l - -S Version 2>&1"),
             QString(TEMPER_VERSION "\n"));
}

void PackagesTest::desktopFilesAreValid() {
    if (hasProgram("desktop-file-validate")) {
        QCOMPARE(bashOutput("desktop-file-validate --no-hints " +
                            root("usr/share/applications/*.desktop")),
                 QString());
    }
    if (!hasProgram("appstreamcli")) QSKIP("appstreamcli is not here");
    bashOutput("appstreamcli validate --no-net " + root("usr/share/metainfo/*.xml") + " >&2");
}

void PackagesTest::packagesMadeTwiceAreTheSame() {
    make("second");
    const QString sums = "; sha256sum *.deb";
    const QString first = bashOutput("cd " + folder_.filePath("first") + sums);
    QCOMPARE(first.count('\n'), kPackages.size());
    QCOMPARE(bashOutput("cd " + folder_.filePath("second") + sums), first);
}

QTEST_GUILESS_MAIN(PackagesTest)
#include "packages_test.moc"
