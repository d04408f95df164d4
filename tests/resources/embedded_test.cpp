// SPDX-License-Identifier: Apache-2.0
#include "resources/embedded.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <algorithm>
#include <string>

#include "engine/core/error.h"

using temper::embeddedFile;
using temper::embeddedFiles;

static QByteArray embeddedBytes(const std::string& path) {
    const std::span<const std::byte> bytes = embeddedFile(path);
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())};
}

class EmbeddedTest : public QObject {
    Q_OBJECT

private slots:
    void everyEmbeddedFileHasTheBytesOfItsSource_data();
    void everyEmbeddedFileHasTheBytesOfItsSource();
    void everyLessonNamesFilesThatExist_data();
    void everyLessonNamesFilesThatExist();
    void anUnknownFileIsAnErrorThatListsItsNeighbours();
    void anUnknownFolderIsAnErrorThatListsAllFiles();
    void pathsAreFoundByPrefixAndSorted();
};

void EmbeddedTest::everyEmbeddedFileHasTheBytesOfItsSource_data() {
    QTest::addColumn<QString>("path");
    for (const std::string& path : embeddedFiles("")) {
        QTest::newRow(path.c_str()) << QString::fromStdString(path);
    }
}

void EmbeddedTest::everyEmbeddedFileHasTheBytesOfItsSource() {
    QFETCH(QString, path);
    QFile source(QStringLiteral(TEMPER_SOURCE_DIR "/resources/") + path);
    QVERIFY(source.open(QIODevice::ReadOnly));
    QVERIFY(embeddedBytes(path.toStdString()) == source.readAll());
}

void EmbeddedTest::everyLessonNamesFilesThatExist_data() {
    QTest::addColumn<QString>("path");
    for (const std::string& path : embeddedFiles("lessons/")) {
        if (path.ends_with("/lesson.json")) {
            QTest::newRow(path.c_str()) << QString::fromStdString(path);
        }
    }
}

void EmbeddedTest::everyLessonNamesFilesThatExist() {
    QFETCH(QString, path);
    const QJsonObject lesson = QJsonDocument::fromJson(embeddedBytes(path.toStdString())).object();
    QCOMPARE(path, QStringLiteral("lessons/%1/lesson.json").arg(lesson["name"].toString()));
    for (const char* key : {"title", "summary", "licence", "exportOutput"}) {
        QVERIFY2(!lesson[key].toString().isEmpty(), key);
    }
    QVERIFY(!embeddedFile(lesson["modelFile"].toString().toStdString()).empty());
    const QJsonObject run = lesson["spec"]["run"].toObject();
    for (const char* key : {"data", "eval_data"}) {
        const QString data = run[key].toString().section('?', 0, 0);
        QVERIFY2(data.startsWith("lesson:"), qPrintable(data));
        QVERIFY(!embeddedFile("lessons/" + data.mid(7).toStdString()).empty());
    }
}

void EmbeddedTest::anUnknownFileIsAnErrorThatListsItsNeighbours() {
    try {
        embeddedFile("lessons/iris/missing.csv");
        QFAIL("no error");
    } catch (const temper::Error& error) {
        QVERIFY(error.code() == temper::ErrorCode::NotFound);
        QVERIFY(error.message().find("lessons/iris/missing.csv") != std::string::npos);
        QVERIFY(error.hint().find("lessons/iris/train.csv") != std::string::npos);
        QVERIFY(error.hint().find("digits") == std::string::npos);
    }
}

void EmbeddedTest::anUnknownFolderIsAnErrorThatListsAllFiles() {
    try {
        embeddedFile("nowhere/missing.csv");
        QFAIL("no error");
    } catch (const temper::Error& error) {
        QVERIFY(error.hint().find("lessons/digits/model.onnx") != std::string::npos);
        QVERIFY(error.hint().find("lessons/iris/train.csv") != std::string::npos);
    }
}

void EmbeddedTest::pathsAreFoundByPrefixAndSorted() {
    const std::vector<std::string> expected = {"lessons/iris/curve.csv", "lessons/iris/lesson.json",
                                               "lessons/iris/model.onnx", "lessons/iris/test.csv",
                                               "lessons/iris/train.csv"};
    QVERIFY(embeddedFiles("lessons/iris/") == expected);
    QVERIFY(embeddedFiles("nowhere/").empty());
    const auto all = embeddedFiles("");
    QVERIFY(std::is_sorted(all.begin(), all.end()));
}

QTEST_APPLESS_MAIN(EmbeddedTest)
#include "embedded_test.moc"
