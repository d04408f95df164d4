// SPDX-License-Identifier: Apache-2.0
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

class ProjectFileTest : public QObject {
    Q_OBJECT

private slots:
    void everyLessonSurvivesWritingAndReading() {
        for (const Lesson& lesson : bundledLessons()) {
            const ProjectFile project{lesson.spec, {{"page", "train"}, {"zoom", "1.5"}}};
            const fs::path place = folder() / lesson.name;
            writeProject(project, place);
            QVERIFY(isProjectFolder(place));
            QVERIFY(readProject(place) == project);
        }
    }

    void pathsAreRelativeToTheFolder_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("written");
        QTest::newRow("inside") << "/home/a/p/models/m.onnx"
                                << "models/m.onnx";
        QTest::newRow("beside") << "/home/a/m.onnx"
                                << "../m.onnx";
        QTest::newRow("far") << "/data/m.onnx"
                             << "/data/m.onnx";
        QTest::newRow("lesson") << "lesson:digits/model.onnx"
                                << "lesson:digits/model.onnx";
    }
    void pathsAreRelativeToTheFolder() {
        QFETCH(QString, model);
        QFETCH(QString, written);
        ProjectFile project;
        project.spec.model = model.toStdString();
        project.spec.run.data = "csv:/home/a/p/train.csv?target=class";
        const std::string json = toJson(project, "/home/a/p");
        const QJsonObject training = QJsonDocument::fromJson(QByteArray::fromStdString(json))
                                         .object()["training"]
                                         .toObject();
        QCOMPARE(training["model"].toString(), written);
        QVERIFY2(json.find("\"csv:train.csv?target=class\"") != std::string::npos, json.c_str());
        QVERIFY(projectFromJson(json, "/home/a/p") == project);
    }

    void aMovedProjectFindsItsFiles() {
        ProjectFile project;
        project.spec.model = "/home/a/p/m.onnx";
        const std::string json = toJson(project, "/home/a/p");
        QCOMPARE(projectFromJson(json, "/mnt/q").spec.model, std::string("/mnt/q/m.onnx"));
    }

    void damagedProjectsAreRefusedByName_data() {
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("named");
        QTest::newRow("no JSON") << "{"
                                 << "not JSON";
        QTest::newRow("something else") << "{\"a\": 1}"
                                        << "format";
        QTest::newRow("newer") << R"({"format": "temper-project", "version": 9, "training": {}})"
                               << "format 9";
        QTest::newRow("unknown key")
            << R"({"format": "temper-project", "version": 1, "training": {"model": "m"}, "vieew": 1})"
            << "vieew";
        QTest::newRow("nothing") << R"({"format": "temper-project", "version": 1})"
                                 << "training";
        const auto training = [](const char* name, const char* content, const char* named) {
            QTest::newRow(name) << QString(R"({"format": "temper-project", "version": 1, )"
                                           R"("training": {"model": "m", %1}})")
                                       .arg(content)
                                << named;
        };
        training("unknown part", R"("optimiser": {"key": "adamw"})", "optimiser");
        training("text for a number", R"("run": {"epochs": "three"})", "epochs");
        training("number for a text", R"("run": {"data": 3})", "data");
        training("list for an object", R"("run": [])", "run");
        training("unknown key below", R"("run": {"epoch": 3})", "epoch");
        training("fraction in a list of counts", R"("hidden_units": [8, 2.5])", "hidden_units");
        training("number in a list of texts", R"("artifacts": {"trainable": [3]})", "trainable");
        training("text for a list", R"("artifacts": {"frozen": "fc*"})", "frozen");
        training("object for the groups", R"("artifacts": {"parameter_groups": {"lr": 1}})",
                 "artifacts.parameter_groups");
        training("true for a number of a loss",
                 R"("artifacts": {"loss": {"key": "huber", "values": {"delta": true}}})",
                 "artifacts.loss.values");
        training("text in a list of a loss",
                 R"("artifacts": {"loss": {"key": "ce", "lists": {"weight": ["a"]}}})",
                 "artifacts.loss.lists");
        training("fraction for a count", R"("run": {"batch_size": 1.5})", "batch_size");
        QTest::newRow("binary") << QString(QLatin1String("\x89PNG\r\n\x1a\n")) << "not JSON";
        QTest::newRow("empty") << ""
                               << "not JSON";
        QTest::newRow("view")
            << R"({"format": "temper-project", "version": 1, "training": {"model": "m"}, "view": {"a": 1}})"
            << "view.a";
    }
    void damagedProjectsAreRefusedByName() {
        QFETCH(QString, content);
        QFETCH(QString, named);
        writeFileAtomically(projectFilePath(folder()), content.toStdString());
        try {
            readProject(folder());
            QFAIL("it was read");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(named), error.what());
            QVERIFY(QString(error.what()).contains("project.json"));
            compareWithBadFiles(
                "Project", QString::fromStdString(std::string(error.what()) + " | " + error.hint()),
                QString::fromStdString(folder().string()));
        }
    }

    void aMissingProjectIsNamed() {
        QVERIFY_EXCEPTION_THROWN(readProject("/nowhere"), Error);
        QVERIFY(!isProjectFolder("/nowhere"));
    }

private:
    fs::path folder() const { return dir_.path().toStdString(); }
    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ProjectFileTest)
#include "project_file_test.moc"
