// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <functional>
#include <thread>

#include "engine/core/error.h"

namespace temper::test {

namespace fs = std::filesystem;

/// While it exists, files can't grow beyond this size, as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        previousHandler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &previous_);
        const rlimit limit{bytes, previous_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &previous_);
        std::signal(SIGXFSZ, previousHandler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit previous_ = {};
    void (*previousHandler_)(int) = nullptr;
};

template <typename F>
QString ioErrorOf(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.code() == ErrorCode::Io ? QString(error.what()) : "of another kind";
    }
    return "none";
}

class FileTest : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_ = std::make_unique<QTemporaryDir>(); }
    void committedFileHasItsContentAndNothingIsLeftOver();
    void fileWithoutCommitLeavesTheTargetAlone();
    void leftoversOfAKilledProgramAreRemoved();
    void severalWritersGiveOneWholeFile();
    void fullDiskLeavesTheTargetAlone();
    void targetThatIsAFolderIsRefused();
    void missingFolderIsNamed();
    void unwritableFolderIsNamed();
    void newFileHasTheUsualPermissions();
    void mappedFileShowsItsBytes();
    void mappedFileOutlivesItsReplacement();
    void emptyFileIsMapped();
    void aFileThatIsCutOffReadsAsZerosAndIsNamed();
    void whatIsGoneIsNotWritten();
    void missingFileIsNotFound();
    void folderIsNotReadAsAFile();
    void aPipeWithTheNameOfAFileIsRefusedAtOnce();
    void aPipeOrDeviceIsNotReplaced();
    void foldersAreMadeWithTheirParents();
    void folderOverAFileIsRefused();

private:
    fs::path path(const char* name) const { return dir_->filePath(name).toStdString(); }
    QStringList names() const {
        return QDir(dir_->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    }

    std::unique_ptr<QTemporaryDir> dir_;
};

void FileTest::committedFileHasItsContentAndNothingIsLeftOver() {
    writeFileAtomically(path("a"), "old");
    AtomicFile file(path("a"));
    file.write("first ");
    file.write("second");
    QCOMPARE(file.size(), int64_t{12});
    QCOMPARE(readFile(path("a")), std::string("old"));
    QCOMPARE(names(), QStringList{"a"});  // a program that is killed here leaves nothing
    file.commit();
    QCOMPARE(readFile(path("a")), std::string("first second"));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::fileWithoutCommitLeavesTheTargetAlone() {
    writeFileAtomically(path("a"), "old");
    {
        AtomicFile file(path("a"));
        file.write("new");
    }
    QCOMPARE(readFile(path("a")), std::string("old"));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::leftoversOfAKilledProgramAreRemoved() {
    QVERIFY(QFile(dir_->filePath("a.new")).open(QIODevice::WriteOnly));
    writeFileAtomically(path("a"), "early");  // it may still be in use
    QCOMPARE(readFile(path("a")), std::string("early"));
    QTest::qSleep(4'500);
    writeFileAtomically(path("a"), "late");
    QCOMPARE(readFile(path("a")), std::string("late"));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::severalWritersGiveOneWholeFile() {
    const auto writeOften = [&](char letter) {
        for (int i = 0; i < 200; ++i) writeFileAtomically(path("a"), std::string(5000, letter));
    };
    std::jthread first(writeOften, 'x'), second(writeOften, 'y');
    first.join();
    second.join();
    const std::string content = readFile(path("a"));
    QVERIFY(content == std::string(5000, 'x') || content == std::string(5000, 'y'));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::fullDiskLeavesTheTargetAlone() {
    writeFileAtomically(path("a"), "old");
    const QString error = [&] {
        const FileSizeLimit limit(4096);
        return ioErrorOf([&] { writeFileAtomically(path("a"), std::string(8192, 'x')); });
    }();
    QVERIFY2(error.contains("a' can't be written: File too large"), qPrintable(error));
    QCOMPARE(readFile(path("a")), std::string("old"));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::targetThatIsAFolderIsRefused() {
    fs::create_directories(path("a/b"));
    const QString error = ioErrorOf([&] { writeFileAtomically(path("a"), "new"); });
    QVERIFY2(error.contains("a' can't be written"), qPrintable(error));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::missingFolderIsNamed() {
    const QString error = ioErrorOf([&] { AtomicFile file(path("none/a")); });
    QVERIFY2(error.contains("none/a' can't be written: No such file"), qPrintable(error));
}

void FileTest::unwritableFolderIsNamed() {
    if (geteuid() == 0) QSKIP("root may write everywhere");
    fs::create_directories(path("closed"));
    fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
    const QString error = ioErrorOf([&] { AtomicFile file(path("closed/a")); });
    fs::permissions(path("closed"), fs::perms::owner_all);
    QVERIFY2(error.contains("closed/a' can't be written: Permission denied"), qPrintable(error));
}

void FileTest::newFileHasTheUsualPermissions() {
    QFile usual(dir_->filePath("usual"));
    QVERIFY(usual.open(QIODevice::WriteOnly));
    usual.close();
    writeFileAtomically(path("ours"), "x");
    QCOMPARE(QFile::permissions(dir_->filePath("ours")), usual.permissions());
}

void FileTest::mappedFileShowsItsBytes() {
    writeFileAtomically(path("a"), std::string("a\0b", 3));
    const auto file = MappedFile::open(path("a"));
    QCOMPARE(file->bytes().size(), size_t{3});
    QCOMPARE(file->bytes()[2], std::byte{'b'});
}

void FileTest::mappedFileOutlivesItsReplacement() {
    writeFileAtomically(path("a"), "old");
    const auto file = MappedFile::open(path("a"));
    writeFileAtomically(path("a"), "new");
    QCOMPARE(file->bytes()[0], std::byte{'o'});
}

void FileTest::emptyFileIsMapped() {
    writeFileAtomically(path("a"), "");
    QVERIFY(MappedFile::open(path("a"))->bytes().empty());
    QCOMPARE(readFile(path("a")), std::string());
}

void FileTest::aFileThatIsCutOffReadsAsZerosAndIsNamed() {
    const size_t size = 1 << 20;
    writeFileAtomically(path("a"), std::string(size, 'x'));
    {
        const auto file = MappedFile::open(path("a"));
        QVERIFY(QFile::resize(dir_->filePath("a"), 5000));
        QCOMPARE(file->bytes()[4000], std::byte{'x'});
        requireNoLostPages();  // nothing was read that is gone
        QCOMPARE(file->bytes()[size / 2], std::byte{0});
        QCOMPARE(file->bytes()[size - 1], std::byte{0});
        const QString error = ioErrorOf([] { requireNoLostPages(); });
        QVERIFY2(error.contains("a' was cut off"), qPrintable(error));
        const QString copy = ioErrorOf([&] {
            AtomicFile other(path("b"));
            other.write(file->bytes());
            requireNoLostPages();
        });
        QVERIFY2(copy.contains("a' was cut off"), qPrintable(copy));
    }
    requireNoLostPages();  // closed
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::whatIsGoneIsNotWritten() {
    const size_t size = 1 << 20;
    writeFileAtomically(path("a"), std::string(size, 'x'));
    const auto file = MappedFile::open(path("a"));
    QVERIFY(QFile::resize(dir_->filePath("a"), 0));
    QVERIFY_THROWS_EXCEPTION(Error, AtomicFile(path("b")).write(file->bytes()));
    QCOMPARE(names(), QStringList{"a"});
}

void FileTest::missingFileIsNotFound() {
    for (const char* name : {"none", "none/deeper"}) {
        try {
            MappedFile::open(path(name));
            QFAIL("a missing file was opened");
        } catch (const Error& error) {
            QVERIFY(error.code() == ErrorCode::NotFound);
            QVERIFY(QString(error.what()).contains(name));
        }
    }
}

void FileTest::folderIsNotReadAsAFile() {
    QVERIFY_THROWS_EXCEPTION(Error, readFile(dir_->path().toStdString()));
    QVERIFY_THROWS_EXCEPTION(Error, MappedFile::open(dir_->path().toStdString()));
}

void FileTest::aPipeWithTheNameOfAFileIsRefusedAtOnce() {
    QVERIFY(::mkfifo(path("pipe").c_str(), 0666) == 0);
    for (const auto& read : {std::function<void()>([&] { readFile(path("pipe")); }),
                             std::function<void()>([&] { MappedFile::open(path("pipe")); })}) {
        try {
            read();
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("pipe' is not a regular file"), error.what());
        }
    }
}

void FileTest::aPipeOrDeviceIsNotReplaced() {
    QVERIFY(::mkfifo(path("pipe").c_str(), 0666) == 0);
    for (const fs::path& target : {path("pipe"), fs::path("/dev/null")}) {
        const QString error = ioErrorOf([&] { writeFileAtomically(target, "new"); });
        QVERIFY2(error.contains("it is a pipe, a socket or a device"), qPrintable(error));
        QVERIFY(!fs::is_regular_file(target));
    }
}

void FileTest::foldersAreMadeWithTheirParents() {
    ensureFolder(path("a/b/c"));
    ensureFolder(path("a/b/c"));
    QVERIFY(fs::is_directory(path("a/b/c")));
}

void FileTest::folderOverAFileIsRefused() {
    writeFileAtomically(path("a"), "x");
    for (const char* name : {"a", "a/b"}) {
        const QString error = ioErrorOf([&] { ensureFolder(path(name)); });
        QVERIFY2(error.contains("can't be created"), qPrintable(error));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FileTest)
#include "file_test.moc"
