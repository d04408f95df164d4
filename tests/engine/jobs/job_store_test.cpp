// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/error.h"
#include "engine/jobs/job_store.h"

namespace temper::test {

/// The queue of jobs in its file.
class JobStoreTest : public QObject {
    Q_OBJECT

private slots:
    void jobsKeepTheirOrder() {
        JobStore store(file("order"));
        QVERIFY(store.jobs().empty());
        store.add("/a", 1);
        store.add("/b", 1);
        store.add("/a", 2);
        QCOMPARE(idsOf(store), (std::vector<int64_t>{1, 2, 3}));
        store.moveFirst(3);
        QCOMPARE(idsOf(store), (std::vector<int64_t>{3, 1, 2}));
        store.remove(1);
        // another program sees the same
        const JobStore other(file("order"));
        QCOMPARE(idsOf(other), (std::vector<int64_t>{3, 2}));
        QVERIFY(other.job(2) == (Job{.id = 2, .project = "/b", .run = 1}));
        store.requestStop(2, "stop-now");
        QCOMPARE(other.job(2).stop, std::string("stop-now"));
    }

    void aRunIsInTheQueueOnce() {
        JobStore store(file("once"));
        store.add("/a", 1);
        QCOMPARE(messageOf([&] { store.add("/a", 1); }),
                 QString("Run 1 of '/a' is in the queue already, as job 1."));
        QCOMPARE(idsOf(store), (std::vector<int64_t>{1}));
    }

    void aRunWhoseJobIsOverCanBeAddedAgain() {
        JobStore store(file("again"));
        store.add("/a", 1);
        store.end(1, "The disk is full.", "Free some space.");
        QVERIFY(store.job(1).isOver);
        QCOMPARE(store.job(1).problem, std::string("The disk is full."));
        const Job again = store.add("/a", 1);
        QVERIFY(again.id == 2 && !again.isOver && again.problem.empty());
        QCOMPARE(idsOf(store), (std::vector<int64_t>{2}));
    }

    void unknownJobsAreNamed() {
        JobStore store(file("unknown"));
        const QString expected = "Job 7 does not exist.";
        QCOMPARE(messageOf([&] { store.job(7); }), expected);
        QCOMPARE(messageOf([&] { store.end(7); }), expected);
        QCOMPARE(messageOf([&] { store.requestStop(7, "stop"); }), expected);
        QCOMPARE(messageOf([&] { store.moveFirst(7); }), expected);
        QCOMPARE(messageOf([&] { store.remove(7); }), expected);
    }

    void aFileThatIsNotAQueueIsNamed() {
        QFile other(dir_.filePath("text"));
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write(QByteArray(4096, 'x'));
        other.close();
        const QString message = messageOf([&] { const JobStore store(file("text")); });
        QVERIFY2(message.startsWith("The queue of jobs '") && message.contains("text"),
                 qPrintable(message));
    }

private:
    std::filesystem::path file(const char* name) const { return dir_.filePath(name).toStdString(); }
    static std::vector<int64_t> idsOf(const JobStore& store) {
        std::vector<int64_t> ids;
        for (const Job& job : store.jobs()) ids.push_back(job.id);
        return ids;
    }
    template <typename F>
    static QString messageOf(F&& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return "(no error)";
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::JobStoreTest)
#include "job_store_test.moc"
