// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_lock.h"

namespace temper::test {

namespace fs = std::filesystem;

void put(const fs::path& path, const std::string& content) { writeFileAtomically(path, content); }

class FileGroupTest : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_ = std::make_unique<QTemporaryDir>(); }

    void allFilesTakeTheirPlacesTogether() {
        put(path("a"), "old");
        {
            FileGroup group(path(""));
            add(group, "a", "new");
            add(group, "below/b", "new too");
            QCOMPARE(readFile(path("a")), std::string("old"));
            group.commit();
        }
        QCOMPARE(readFile(path("a")), std::string("new"));
        QCOMPARE(readFile(path("below/b")), std::string("new too"));
        QCOMPARE(names(), (QStringList{"a", "below/b"}));
    }

    void withoutCommitNothingChanges() {
        put(path("a"), "old");
        {
            FileGroup group(path(""));
            add(group, "a", "new");
            add(group, "b", "new");
        }
        QCOMPARE(readFile(path("a")), std::string("old"));
        QCOMPARE(names(), QStringList{"a"});
    }

    void errorsOfAWriterNameTheFinalFile() {
        FileGroup group(path(""));
        try {
            group.write("a", [](const fs::path& written) {
                Error error(ErrorCode::Io, "'" + written.string() + "' is bad.", written.string());
                error.addContext("inner");
                error.addContext("outer");
                throw error;
            });
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            QCOMPARE(std::string(error.what()),
                     "outer: inner: '" + path("a").string() + "' is bad.");
            QCOMPARE(error.hint(), path("a").string());
        }
    }

    void aPipeInsteadOfAFileChangesNothing() {
        put(path("a"), "old");
        QVERIFY(::mkfifo(path("b").c_str(), 0666) == 0);
        QString message;
        {
            FileGroup group(path(""));
            add(group, "a", "new");
            add(group, "b", "new");
            message = messageOf([&] { group.commit(); });
        }
        QVERIFY2(message.contains("b' can't be written: it is a pipe"), qPrintable(message));
        QCOMPARE(readFile(path("a")), std::string("old"));
        QVERIFY(fs::is_fifo(path("b")));
    }

    void aFolderInsteadOfAFileChangesNothing() {
        put(path("a"), "old");
        fs::create_directories(path("b/c"));
        QString message;
        {
            FileGroup group(path(""));
            add(group, "a", "new");
            add(group, "b", "new");
            message = messageOf([&] { group.commit(); });
        }
        QVERIFY2(message.contains("b' can't be written: a folder has this name"),
                 qPrintable(message));
        QCOMPARE(readFile(path("a")), std::string("old"));
        QCOMPARE(names(), QStringList{"a"});
    }

    void theRestOfAKilledProgramIsPutInPlace() {
        put(path("a"), "new");  // it was killed after its first file
        put(path("b"), "old");
        fs::create_directories(path(".temper-ready/.replaced"));
        put(path(".temper-ready/.replaced/a"), "old");
        put(path(".temper-ready/b"), "new");
        finishFileGroup(path(""));
        QCOMPARE(readFile(path("a")), std::string("new"));
        QCOMPARE(readFile(path("b")), std::string("new"));
        QCOMPARE(names(), (QStringList{"a", "b"}));
    }

    void unfinishedFilesOfAKilledProgramAreRemoved() {
        put(path("a"), "old");
        fs::create_directories(path(".temper-new-17"));
        put(path(".temper-new-17/a"), "half");
        finishFileGroup(path(""));
        QCOMPARE(readFile(path("a")), std::string("old"));
        FileGroup(path("")).commit();
        QCOMPARE(names(), QStringList{"a"});
    }

    void aGroupThatIsBeingWrittenIsNotRemoved() {
        FileGroup first(path(""));
        add(first, "a", "first");
        {
            FileGroup second(path(""));
            add(second, "b", "second");
            second.commit();
        }
        first.commit();
        QCOMPARE(names(), (QStringList{"a", "b"}));
    }

    /// Whatever the moment: after the next process has looked, all files are of one group.
    void severalWritersLeaveTheFilesOfOneGroup() {
        const auto writeOften = [&](const std::string& content) {
            for (int i = 0; i < 200; ++i) {
                FileGroup group(path(""));
                for (const char* name : {"a", "b", "c"}) add(group, name, content);
                group.commit();
            }
        };
        std::jthread first(writeOften, "first"), second(writeOften, "second");
        first.join();
        second.join();
        QCOMPARE(readFile(path("a")), readFile(path("b")));
        QCOMPARE(readFile(path("a")), readFile(path("c")));
        QCOMPARE(names(), (QStringList{"a", "b", "c"}));
    }

    void aFolderThatIsInUseIsRefusedAndSaysByWhom() {
        int ready[2], done[2];
        QVERIFY(::pipe(ready) == 0 && ::pipe(done) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const int descriptor = ::open(path("").c_str(), O_RDONLY | O_DIRECTORY);
            const char isLocked = tryLock(descriptor) ? 'y' : 'n';
            char end = 0;
            const bool told = ::write(ready[1], &isLocked, 1) == 1 && ::read(done[0], &end, 1) == 1;
            ::_exit(told ? 0 : 1);
        }
        char isLocked = 0;
        QVERIFY(::read(ready[0], &isLocked, 1) == 1);
        QCOMPARE(isLocked, 'y');
        const QString message = messageOf([&] { const FolderLock lock(path("")); });
        QVERIFY(::write(done[1], "e", 1) == 1);
        ::waitpid(child, nullptr, 0);
        QVERIFY2(message.contains("is in use: process " + QString::number(child)) ||
                     message.contains("is in use: another process"),
                 qPrintable(message));
        const FolderLock lock(path(""));  // released with the process
    }

private:
    fs::path path(const char* name) const { return fs::path(dir_->path().toStdString()) / name; }

    static void add(FileGroup& group, const fs::path& name, const std::string& content) {
        group.write(name, [&](const fs::path& written) { put(written, content); });
    }

    template <typename F>
    static QString messageOf(F&& f) {
        try {
            f();
        } catch (const Error& error) {
            return QString::fromStdString(error.what());
        }
        return "nothing";
    }

    QStringList names() const {
        QStringList found;
        QDirIterator files(dir_->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) found << files.next().mid(dir_->path().size() + 1);
        found.sort();
        return found;
    }

    std::unique_ptr<QTemporaryDir> dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FileGroupTest)
#include "file_group_test.moc"
