// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <zip.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/file.h"
#include "engine/data/data_health.h"
#include "engine/data/npy_header.h"
#include "engine/data/npz_file.h"
#include "engine/data/open_data.h"
#include "engine/data/readable_samples.h"
#include "tests/engine/data/data_test_support.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

const std::string kPictureFolder = TEMPER_SOURCE_DIR "/tests/engine/data/pictures/";

/// Samples that can't be read are known before training begins and can be left out.
class UnreadableDataTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        dir_ = std::make_unique<QTemporaryDir>();
        for (const char* name : {"a/1.png", "a/2.png", "b/1.jpg", "b/2.webp"}) {
            const char* source = QString(name).endsWith("png")   ? "rgb.png"
                                 : QString(name).endsWith("jpg") ? "rgb.jpg"
                                                                 : "lossy.webp";
            copy(source, name);
        }
    }

    void damagedPicturesAreFoundAtLittleCost_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("message");
        QTest::newRow("PNG, cut off") << "a/2.png"
                                      << "damaged PNG picture";
        QTest::newRow("JPEG, cut off") << "b/1.jpg"
                                       << "damaged JPEG picture";
        QTest::newRow("WebP, cut off") << "b/2.webp"
                                       << "damaged WebP picture";
    }
    void damagedPicturesAreFoundAtLittleCost() {
        QFETCH(QString, name);
        QFETCH(QString, message);
        const OpenedData whole = openData(folder() + "?size=4");
        for (const bool isWhole : {false, true})
            QVERIFY(unreadableSamples(*whole.training, isWhole).empty());
        cut(name);
        const OpenedData data = openData(folder() + "?size=4");
        for (const bool isWhole : {false, true}) {
            const auto bad = unreadableSamples(*data.training, isWhole);
            QCOMPARE(bad.size(), size_t{1});
            const QString why = QString::fromStdString(bad.front().why);
            QVERIFY2(why.contains(name) && why.contains(message), qPrintable(why));
        }
        const std::vector<Finding> findings = checkReadable(*data.training);
        QCOMPARE(findings.size(), size_t{1});
        QCOMPARE(findings.front().code, std::string("D114"));
        QVERIFY(findings.front().severity == Severity::Error);
        compareWithBadFiles(
            "Picture of a data set",
            QString::fromStdString(findings.front().message + " | " + findings.front().hint),
            dir_->path());
        QVERIFY2(QString::fromStdString(findings.front().message)
                     .startsWith("One of 4 samples can't be read: File '"),
                 findings.front().message.c_str());
        const auto fix = fixFor(findings.front(), data.spec);
        QVERIFY(fix && fix->option == "invalid" && fix->value == "drop");
    }

    void dataAfterTheEndOfAPictureIsNotDamage() {
        QFile file(path("b/1.jpg"));
        QVERIFY(file.open(QIODevice::Append) && file.write("a film") > 0);
        file.close();
        const OpenedData data = openData(folder() + "?size=4");
        QVERIFY(unreadableSamples(*data.training, false).empty());
    }

    void theyAreLeftOutOnRequest() {
        cut("a/1.png");  // also the picture that determines the size
        cut("b/2.webp");
        QFile::remove(path("a/2.png"));
        ::mkfifo(path("a/2.png").toStdString().c_str(), 0666);
        const OpenedData data = openData(folder() + "?invalid=drop");
        QCOMPARE(data.training->size(), int64_t{1});
        QCOMPARE(data.training->origin(0), "picture '" + path("b/1.jpg").toStdString() + "'");
        data.training->get(0, 0);
        const auto dropped = std::find_if(data.findings.begin(), data.findings.end(),
                                          [](const Finding& f) { return f.code == "D113"; });
        QVERIFY(dropped != data.findings.end() && dropped->severity == Severity::Warning);
        const QString message = QString::fromStdString(dropped->message);
        QVERIFY2(message.startsWith("Skipped 3 of 4 samples that can't be read, the first one: ") &&
                     message.contains("a/1.png") && message.endsWith(" (the file ends)."),
                 qPrintable(message));
        cut("b/1.jpg");
        QVERIFY2(errorOf([&] {
                     openData(folder() + "?invalid=drop");
                 }).startsWith("None of the samples can be read"),
                 "all are damaged");
    }

    void aTableOfPicturesNamesTheRow() {
        write("t.csv", "file,label\na/1.png,x\na/2.png,y\nnone.png,x\nb/1.jpg,y\n");
        const std::string table = "images:" + path("t.csv").toStdString();
        QVERIFY(errorOf([&] { openData(table); }).contains("line 4, column 'file'"));
        cut("a/2.png");
        const OpenedData data = openData(table + "?invalid=drop");
        QCOMPARE(data.training->size(), int64_t{2});
        QCOMPARE(data.training->origin(1),
                 "picture '" + path("b/1.jpg").toStdString() + "' (line 5)");
        write("t.csv", "file,label\na/1.png,x\na/2.png,y\n");
        const OpenedData damaged = openData(table);
        const QString why = errorOf([&] { damaged.training->get(1, 0); });
        QVERIFY2(why.startsWith("line 3: File '") && why.contains("a/2.png"), qPrintable(why));
    }

    void rowsOfATableAreNamed_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("message");
        QTest::newRow("infinity") << QByteArray("a,b,y\n1,2,0\n\n3,inf,1\n") << ""
                                  << "D101"
                                  << "a NaN or infinite value, in line 4, 'b'";
        QTest::newRow("minus infinity, of the split part")
            << QByteArray("a,b,y\n1,2,0\n3,-Infinity,1\n1,2,0\n1,2,0\n1,2,1\n1,3,1\n")
            << "?duplicates=drop"
            << "D101"
            << "a NaN or infinite value, in line 3, 'b'";
        QTest::newRow("label") << QByteArray("a,y\n1,0\n2,1\n3,2\n") << "?classes=x,y"
                               << "D104"
                               << "2 in line 4, is not one of its 2 classes";
    }
    void rowsOfATableAreNamed() {
        QFETCH(QByteArray, content);
        QFETCH(QString, options);
        QFETCH(QString, code);
        QFETCH(QString, message);
        write("t.csv", content.toStdString());
        const OpenedData data = openData((path("t.csv") + options).toStdString());
        const std::vector<Finding> findings = checkData(*data.training);
        const auto found = std::find_if(
            findings.begin(), findings.end(),
            [&](const Finding& finding) { return finding.code == code.toStdString(); });
        QVERIFY(found != findings.end());
        QVERIFY2(QString::fromStdString(found->message).contains(message), found->message.c_str());
        compareWithBadFiles("Row of a data set",
                            QString::fromStdString(found->message + " | " + found->hint));
        const QString drop = options + (options.isEmpty() ? "?" : "&") + "invalid=drop";
        const OpenedData rest = openData((path("t.csv") + drop).toStdString());
        QCOMPARE(rest.training->size(), data.training->size() - 1);
    }

    void filesThatAreLeftOutAreCounted_data() {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QString>("message");
        QTest::newRow("none") << QStringList() << "";
        QTest::newRow("pictures of other formats")
            << QStringList{"a/3.gif", "a/4.GIF", "b/x.tif"}
            << "3 files in 'DIR' are skipped (2 .gif, 1 .tif)";
        QTest::newRow("one text") << QStringList{"a/notes.txt"}
                                  << "One file in 'DIR' is skipped (1 .txt)";
        QTest::newRow("hidden") << QStringList{"a/.DS_Store"} << "";
        QTest::newRow("no ending") << QStringList{"b/readme"} << "is skipped (1 without extension)";
    }
    void filesThatAreLeftOutAreCounted() {
        QFETCH(QStringList, files);
        QFETCH(QString, message);
        for (const QString& file : files) write(file, "GIF89a");
        const OpenedData data = openData(folder());
        QCOMPARE(data.training->size(), int64_t{4});
        const auto found = std::find_if(data.findings.begin(), data.findings.end(),
                                        [](const Finding& f) { return f.code == "D115"; });
        QCOMPARE(found != data.findings.end(), !message.isEmpty());
        if (message.isEmpty()) return;
        QVERIFY2(
            QString::fromStdString(found->message).contains(message.replace("DIR", dir_->path())),
            found->message.c_str());
        compareWithBadFiles("Files beside pictures",
                            QString::fromStdString(found->message + " | " + found->hint)
                                .replace(dir_->path(), "pictures"));
        const bool hasPictures = files.front().endsWith("gif");
        QVERIFY(found->severity == (hasPictures ? Severity::Warning : Severity::Info));
    }

    void aFolderOfOtherPicturesOnlySaysSo() {
        const QTemporaryDir dir;
        for (const char* name : {"a/1.gif", "b/2.tiff"}) {
            QDir().mkpath(QFileInfo(dir.filePath(name)).path());
            writeText(pathIn(dir, name), "GIF89a");
        }
        const QString error = errorOf([&] { openData("images:" + dir.path().toStdString()); });
        QVERIFY2(error.contains("has no subfolders with pictures. 2 files in '") &&
                     error.contains("are skipped (1 .gif, 1 .tiff)"),
                 qPrintable(error));
    }

    void anArchiveThatLiesOrSwellsIsRefusedByItsHead_data() {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QString>("message");
        const auto header = [](const Shape& shape) {
            return QByteArray::fromStdString(formatNpyHeader(DType::Float32, shape));
        };
        QTest::newRow("of another size") << header({2}) << "shape [2] of float32 needs 8";
        QTest::newRow("no array") << QByteArray("zeros") << "it is not an NPY array";
        QTest::newRow("as large as it says")
            << header({kSwollenBytes / 4}) << "almost all of them are equal";
    }
    void anArchiveThatLiesOrSwellsIsRefusedByItsHead() {
        QFETCH(QByteArray, head);
        QFETCH(QString, message);
        const std::string bomb = packed(head.toStdString());
        QVERIFY(bomb.size() < (4 << 20));
        const QString error = errorOf([&] { parseNpz(std::as_bytes(std::span(bomb)), "a.npz"); });
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("NPZ archive", error);
    }

private:
    static constexpr int64_t kSwollenBytes = int64_t{300} << 20;

    /// An archive with one entry: the head, then kSwollenBytes of zeros.
    static std::string packed(std::string head) {
        const QTemporaryDir dir;
        const std::string path = dir.filePath("bomb.npz").toStdString();
        std::string zeros(1 << 20, '\0');
        std::vector<zip_buffer_fragment_t> parts{
            {reinterpret_cast<zip_uint8_t*>(head.data()), head.size()}};
        parts.resize(1 + kSwollenBytes / zeros.size(),
                     {reinterpret_cast<zip_uint8_t*>(zeros.data()), zeros.size()});
        int code = 0;
        zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, &code);
        zip_source_t* source = zip_source_buffer_fragment(archive, parts.data(), parts.size(), 0);
        zip_file_add(archive, "x.npy", source, 0);
        zip_close(archive);
        return readFile(path);
    }

    std::string folder() const { return "images:" + dir_->path().toStdString(); }
    QString path(const QString& name) const { return dir_->filePath(name); }

    void write(const QString& name, const std::string& content) const {
        QDir().mkpath(QFileInfo(path(name)).path());
        writeFileAtomically(path(name).toStdString(), content);
    }
    void copy(const QString& source, const QString& name) const {
        write(name, readFile(kPictureFolder + source.toStdString()));
    }
    void cut(const QString& name) const {
        const std::string content = readFile(path(name).toStdString());
        write(name, content.substr(0, content.size() * 3 / 4));
    }

    std::unique_ptr<QTemporaryDir> dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::UnreadableDataTest)
#include "unreadable_data_test.moc"
