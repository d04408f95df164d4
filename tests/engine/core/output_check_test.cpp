// SPDX-License-Identifier: Apache-2.0
#include "engine/core/output_check.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper::test {

namespace fs = std::filesystem;

class OutputCheckTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        dir_ = std::make_unique<QTemporaryDir>();
        writeFileAtomically(path("file"), "content");
        fs::create_directories(path("folder"));
    }

    void aFileThatCantBeWrittenIsNamed_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("message");
        QTest::newRow("new") << "new"
                             << "";
        QTest::newRow("there") << "file"
                               << "";
        QTest::newRow("folder") << "folder"
                                << "folder' can't be written: it is a folder";
        QTest::newRow("no folder") << "none/a"
                                   << "none/a' can't be written: No such file";
        QTest::newRow("below a file") << "file/a"
                                      << "file/a' can't be written: Not a directory";
    }
    void aFileThatCantBeWrittenIsNamed() {
        QFETCH(QString, name);
        check([&] { requireWritableFile(path(name)); });
    }

    void aFolderThatCantBeWrittenToIsNamed_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("message");
        QTest::newRow("there") << "folder"
                               << "";
        QTest::newRow("to be made") << "folder/a/b/c"
                                    << "";
        QTest::newRow("file") << "file"
                              << "file' is a file";
        QTest::newRow("below a file") << "file/a/b"
                                      << "file' is a file";
        QTest::newRow("of the system") << "/proc/none"
                                       << "'/proc/none' can't be written to";
    }
    void aFolderThatCantBeWrittenToIsNamed() {
        QFETCH(QString, name);
        check([&] { requireWritableFolder(path(name)); });
    }

    void tooLittleSpaceIsReportedInNumbers() {
        requireFreeSpace(path("folder"), 1);
        try {
            requireFreeSpace(path("folder"), std::numeric_limits<int64_t>::max());
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            const QString message = error.what();
            QVERIFY2(message.contains("folder' has ") &&
                         message.endsWith(" bytes left; 9223372036854775807 are needed."),
                     error.what());
        }
    }

private:
    fs::path path(const QString& name) const {
        return name.startsWith('/') ? name.toStdString() : dir_->filePath(name).toStdString();
    }

    template <typename F>
    void check(F&& require) const {
        QFETCH(QString, message);
        QString found;
        try {
            require();
        } catch (const Error& error) {
            found = error.what();
        }
        QVERIFY2(message.isEmpty() ? found.isEmpty() : found.contains(message), qPrintable(found));
        // Nothing was made or changed.
        QCOMPARE(
            QDir(dir_->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
            (QStringList{"file", "folder"}));
        QCOMPARE(readFile(path("file")), std::string("content"));
        QVERIFY(QDir(dir_->filePath("folder")).isEmpty());
    }

    std::unique_ptr<QTemporaryDir> dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OutputCheckTest)
#include "output_check_test.moc"
