// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/project_archive.h"

#include <sys/stat.h>
#include <zip.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/data/open_data.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_store.h"
#include "engine/training/projects/lesson.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

/// The contents of a test's archive.
struct Entry {
    std::string name;
    std::string content = "x";
    unsigned mode = S_IFREG | 0644U;
    bool isEncrypted = false;
};

static const Entry kProject{"project.json", "{}"};

static QByteArray zipOf(const std::vector<Entry>& entries) {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a.zip").toStdString();
    int error = 0;
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, &error);
    for (const Entry& entry : entries) {
        zip_source_t* source =
            zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
        const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_RAW);
        const auto at = static_cast<zip_uint64_t>(index);
        zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, entry.mode << 16U);
        if (entry.isEncrypted) zip_file_set_encryption(archive, at, ZIP_EM_AES_256, "secret");
    }
    zip_close(archive);
    return QByteArray::fromStdString(readFile(path));
}

static QStringList namesIn(const fs::path& folder) {
    QStringList names;
    for (const auto& entry : fs::directory_iterator(folder))
        names << QString::fromStdString(entry.path().filename().string());
    names.sort();
    return names;
}

/// A project as one file: packed here, unpacked elsewhere.
class ProjectArchiveTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void aProjectOpensElsewhereAsItWas();
    void runsAndCheckpointsAreIncluded();
    void runsAreLeftOutOnRequest();
    void dataIsIncludedIfItIsSmall_data();
    void dataIsIncludedIfItIsSmall();
    void lessonsNeedNoFiles();
    void theSameProjectGivesTheSameBytes();
    void anArchiveIsUnpackedOnce();
    void whatIsCancelledLeavesNothing();
    void aMissingModelIsNamed();
    void checkpointsOfOthersStayInTheFolder();
    void runsOfOthersStayInTheFolder();
    void badArchivesAreRefused_data();
    void badArchivesAreRefused();

private:
    fs::path at(const char* name) const { return root_->path().toStdString() + "/" + name; }
    /// A model with external data and a table, both outside the project's folder.
    ProjectFile project() const {
        ProjectFile project;
        project.spec.model = at("models/net.onnx").string();
        project.spec.run.data = "csv:" + at("tables/train.csv").string() + "?target=class";
        project.spec.run.epochs = 7;
        project.view = {{"page", "train"}};
        return project;
    }
    UnpackedProject unpackElsewhere() const {
        return unpackProject(at("hand-out.temper"), at("elsewhere"));
    }

    std::unique_ptr<QTemporaryDir> root_;
};

void ProjectArchiveTest::init() {
    root_ = std::make_unique<QTemporaryDir>();
    for (const char* folder : {"models", "tables", "project", "elsewhere"})
        fs::create_directory(at(folder));
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {0.5, -1, 2, 3}> { y = MatMul(x, w) })");
    saveModel(*graph, at("models/net.onnx"), {.externalData = true, .externalDataThreshold = 0});
    std::ofstream(at("tables/train.csv")) << "a,b,class\n1,2,p\n3,4,q\n5,6,p\n";
}

void ProjectArchiveTest::aProjectOpensElsewhereAsItWas() {
    const ProjectFile made = project();
    const PackedProject packed =
        packProject(made, {}, at("hand-out.temper"), {.texts = {{"view.json", "{\"zoom\": 2}"}}});
    QVERIFY(packed.leftOut.empty());
    QCOMPARE(packed.bytes, static_cast<int64_t>(fs::file_size(at("hand-out.temper"))));
    const std::string weights = readFile(at("models/net.onnx.data"));
    for (const char* folder : {"models", "tables", "project"}) fs::remove_all(at(folder));

    const UnpackedProject unpacked = unpackElsewhere();
    QVERIFY(!unpacked.wasThere);
    QCOMPARE(unpacked.folder, at("elsewhere/hand-out"));
    ProjectFile there = readProject(unpacked.folder);
    QCOMPARE(there.spec.model, (unpacked.folder / "model/net.onnx").string());
    QCOMPARE(readFile(unpacked.folder / "model/net.onnx.data"), weights);
    QCOMPARE(readFile(unpacked.folder / "view.json"), std::string("{\"zoom\": 2}"));
    const auto graph = loadModel(there.spec.model);
    QCOMPARE(graph->at("w")->constant().values<float>()[3], 3.0F);
    QCOMPARE(openData(there.spec.run.data).training->size(), 3);
    // Only the locations differ.
    there.spec.model = made.spec.model;
    there.spec.run.data = made.spec.run.data;
    QVERIFY(there == made);
}

void ProjectArchiveTest::runsAndCheckpointsAreIncluded() {
    const fs::path folder = at("project");
    StoredRun run;
    run.spec = toJson(ProjectFile{project().spec, {}}, folder);
    run.name = "first";
    {
        RunStore store(runStorePath(folder));
        run = store.add(run);
        StoredRun trashed = run;
        trashed.id = 0;
        trashed.folder.clear();
        trashed = store.add(trashed);
        trashed.isTrashed = true;
        store.updateLabels(trashed);
        for (const StoredRun& each : {run, trashed}) {
            fs::create_directories(runFolderOf(folder, each));
            std::ofstream(runFolderOf(folder, each) / "last.ckpt") << "parameters";
        }
    }
    packProject(project(), folder, at("hand-out.temper"));
    for (const char* name : {"models", "tables", "project"}) fs::remove_all(at(name));
    const fs::path there = unpackElsewhere().folder;
    const std::vector<StoredRun> runs = RunStore(runStorePath(there)).runs();
    QCOMPARE(runs.size(), size_t{1});
    QCOMPARE(runs[0].name, std::string("first"));
    QCOMPARE(readFile(runFolderOf(there, runs[0]) / "last.ckpt"), std::string("parameters"));
    QCOMPARE(namesIn(there / "runs").size(), 1);
    const ProjectFile ofRun = projectFromJson(runs[0].spec, there);
    QCOMPARE(ofRun.spec.model, (there / "model/net.onnx").string());
    QVERIFY(fs::exists(ofRun.spec.model));
}

void ProjectArchiveTest::runsAreLeftOutOnRequest() {
    StoredRun run;
    run.name = "first";
    RunStore(runStorePath(at("project"))).add(run);
    packProject(project(), at("project"), at("hand-out.temper"), {.withRuns = false});
    QVERIFY(!fs::exists(runStorePath(unpackElsewhere().folder)));
}

void ProjectArchiveTest::dataIsIncludedIfItIsSmall_data() {
    QTest::addColumn<QString>("data");
    QTest::addColumn<int>("most");
    QTest::addColumn<bool>("isTaken");
    QTest::newRow("small") << "csv:%1/tables/train.csv?target=class" << 1000 << true;
    QTest::newRow("large") << "csv:%1/tables/train.csv?target=class" << 10 << false;
    QTest::newRow("folder of pictures") << "images:%1/pictures" << 1'000'000 << true;
    QTest::newRow("table of pictures") << "images:%1/pictures.csv" << 1'000'000 << false;
    QTest::newRow("in the project") << "csv:%1/project/own.csv?target=class" << 1000 << true;
    QTest::newRow("not there") << "csv:%1/nowhere.csv?target=class" << 1000 << false;
}

void ProjectArchiveTest::dataIsIncludedIfItIsSmall() {
    QFETCH(QString, data);
    QFETCH(int, most);
    QFETCH(bool, isTaken);
    // A picture of two pixels in each of two classes.
    const std::string bitmap(
        "BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0"
        "\x18\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\x10\x20\x30\x40\x50\x60\0\0",
        62);
    for (const char* name : {"cat", "dog"}) {
        fs::create_directories(at("pictures") / name);
        std::ofstream(at("pictures") / name / "1.bmp", std::ios::binary) << bitmap;
    }
    std::ofstream(at("pictures.csv")) << "path,class\npictures/cat/1.bmp,cat\n";
    fs::copy_file(at("tables/train.csv"), at("project/own.csv"));
    ProjectFile given = project();
    given.spec.run.data = data.arg(root_->path()).toStdString();
    const PackedProject packed =
        packProject(given, at("project"), at("hand-out.temper"), {.mostDataBytes = most});
    QCOMPARE(packed.leftOut.empty(), isTaken);
    const fs::path folder = unpackElsewhere().folder;
    const std::string there = readProject(folder).spec.run.data;
    if (!isTaken) {
        QCOMPARE(there, given.spec.run.data);
        return;
    }
    const int64_t samples = openData(given.spec.run.data).training->size();
    for (const char* name : {"tables", "pictures", "project"}) fs::remove_all(at(name));
    QVERIFY2(there.find(folder.string()) != std::string::npos, there.c_str());
    QCOMPARE(openData(there).training->size(), samples);
}

void ProjectArchiveTest::lessonsNeedNoFiles() {
    const ProjectFile lesson{findLesson("iris").spec, {}};
    QVERIFY(packProject(lesson, {}, at("hand-out.temper")).leftOut.empty());
    const fs::path folder = unpackElsewhere().folder;
    QVERIFY(readProject(folder) == lesson);
    QCOMPARE(namesIn(folder), QStringList({".unpacked-from", "project.json"}));
}

void ProjectArchiveTest::theSameProjectGivesTheSameBytes() {
    packProject(project(), {}, at("one.temper"));
    packProject(project(), {}, at("two.temper"));
    QCOMPARE(readFile(at("one.temper")), readFile(at("two.temper")));
}

void ProjectArchiveTest::anArchiveIsUnpackedOnce() {
    packProject(project(), {}, at("hand-out.temper"));
    const fs::path first = unpackElsewhere().folder;
    std::ofstream(first / "notes.txt") << "mine";
    const UnpackedProject again = unpackElsewhere();
    QVERIFY(again.wasThere);
    QCOMPARE(again.folder, first);
    QCOMPARE(readFile(first / "notes.txt"), std::string("mine"));
    ProjectFile other = project();
    other.spec.run.epochs = 9;
    packProject(other, {}, at("hand-out.temper"));
    const UnpackedProject second = unpackElsewhere();
    QVERIFY(!second.wasThere);
    QCOMPARE(second.folder, at("elsewhere/hand-out 2"));
    QCOMPARE(readProject(second.folder).spec.run.epochs, 9);
    QCOMPARE(readProject(first).spec.run.epochs, 7);
}

void ProjectArchiveTest::whatIsCancelledLeavesNothing() {
    packProject(project(), {}, at("hand-out.temper"));
    const QStringList before = namesIn(at("."));
    for (const int calls : {0, 1, 2}) {
        int left = calls;
        const ArchiveProgress stop = [&left](double) { return left-- > 0; };
        try {
            packProject(project(), {}, at("other.temper"), {}, stop);
            QFAIL("it was packed");
        } catch (const Error& error) {
            QCOMPARE(error.code(), ErrorCode::State);
        }
        left = calls;
        try {
            unpackProject(at("hand-out.temper"), at("models"), stop);
            QFAIL("it was unpacked");
        } catch (const Error& error) {
            QCOMPARE(error.code(), ErrorCode::State);
        }
        QCOMPARE(namesIn(at(".")), before);
        QCOMPARE(namesIn(at("models")), QStringList({"net.onnx", "net.onnx.data"}));
    }
}

void ProjectArchiveTest::aMissingModelIsNamed() {
    for (const char* file : {"models/net.onnx.data", "models/net.onnx"}) {
        fs::remove(at(file));
        try {
            packProject(project(), {}, at("hand-out.temper"));
            QFAIL("it was packed");
        } catch (const Error& error) {
            QCOMPARE(error.code(), ErrorCode::NotFound);
            QVERIFY2(QString(error.what()).contains(file), error.what());
        }
        QVERIFY(!fs::exists(at("hand-out.temper")));
    }
}

void ProjectArchiveTest::checkpointsOfOthersStayInTheFolder() {
    for (const char* place : {"/somewhere/else", "../../outside", "checkpoints"}) {
        ProjectFile given = project();
        given.spec.run.saveFolder = "/temper-archive/checkpoints";
        std::string json = toJson(given, "/temper-archive");
        const std::string own = "\"checkpoints\"";
        json.replace(json.find(own), own.size(), '"' + std::string(place) + '"');
        std::ofstream(at("bad.temper"), std::ios::binary)
            << zipOf({{"project.json", json}, {"note.txt", place}}).toStdString();
        const fs::path folder = unpackProject(at("bad.temper"), at("elsewhere")).folder;
        const std::string saves = readProject(folder).spec.run.saveFolder;
        const bool isInside = std::string(place) == "checkpoints";
        QCOMPARE(saves, isInside ? (folder / place).string() : std::string());
    }
}

/// The window deletes the folders of runs.
void ProjectArchiveTest::runsOfOthersStayInTheFolder() {
    for (const char* place : {"/home", "..", "../models", "runs/../../models", ".", "runs/0009"}) {
        StoredRun run;
        run.name = place;
        run.folder = place;
        run.id = 0;
        RunStore(runStorePath(at("project"))).add(run);
    }
    packProject(project(), {}, at("plain.temper"));
    // Built by hand: packing would not include files from elsewhere.
    RunStore(runStorePath(at("project"))).copyTo(at("runs.sqlite"), [](const StoredRun& each) {
        return each.spec;
    });
    const std::string json =
        readFile(unpackProject(at("plain.temper"), at("elsewhere")).folder / "project.json");
    std::ofstream(at("hostile.temper"), std::ios::binary)
        << zipOf({{"project.json", json}, {"runs.sqlite", readFile(at("runs.sqlite"))}})
               .toStdString();
    const fs::path folder = unpackProject(at("hostile.temper"), at("elsewhere")).folder;
    const std::vector<StoredRun> left = RunStore(runStorePath(folder)).runs();
    QCOMPARE(left.size(), size_t{1});
    QCOMPARE(left[0].folder, std::string("runs/0009"));
}

void ProjectArchiveTest::badArchivesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::vector<Entry>& entries) {
        QTest::newRow(name) << zipOf(entries);
    };
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no archive") << QByteArray("this is text, not an archive of any kind");
    const QByteArray whole = zipOf({kProject, {"a.txt", std::string(5000, 'a')}});
    QTest::newRow("cut off") << whole.left(whole.size() / 2);
    QByteArray changed = whole;
    changed[changed.indexOf("a.txt") + 8] = 'x';
    QTest::newRow("changed on its way") << changed;
    row("no project", {{"a.txt"}});
    row("outside", {kProject, {"../a.txt"}});
    row("outside, further in", {kProject, {"a/../../b.txt"}});
    row("absolute", {kProject, {"/etc/a.txt"}});
    row("a drive", {kProject, {"C:a.txt"}});
    row("backslashes", {kProject, {"..\\a.txt"}});
    row("hidden", {kProject, {".temper.lock"}});
    row("nothing between slashes", {kProject, {"a//b.txt"}});
    row("control characters", {kProject, {"a\nb.txt"}});
    row("no UTF-8", {kProject, {"a\xFF.txt"}});
    row("a long name", {kProject, {std::string(300, 'a')}});
    row("case", {kProject, {"Project.json"}});
    row("link", {kProject, {"model.onnx", "/etc/passwd", S_IFLNK | 0777U}});
    row("device", {kProject, {"model.onnx", "", S_IFCHR | 0666U}});
    row("file and folder", {kProject, {"a"}, {"a/b.txt"}});
    row("encrypted", {kProject, {"a.txt", "x", S_IFREG | 0644U, true}});
    row("bomb", {kProject, {"zeros", std::string(100 << 20, '\0')}});
}

void ProjectArchiveTest::badArchivesAreRefused() {
    QFETCH(QByteArray, bytes);
    std::ofstream(at("bad.temper"), std::ios::binary) << bytes.toStdString();
    const QStringList before = namesIn(at("."));
    try {
        unpackProject(at("bad.temper"), at("elsewhere"));
        QFAIL("it was unpacked");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::InvalidInput);
        compareWithBadFiles(
            "Project as one file",
            QString::fromStdString(error.what() + std::string(" | ") + error.hint()),
            root_->path());
    }
    QCOMPARE(namesIn(at(".")), before);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ProjectArchiveTest)
#include "project_archive_test.moc"
