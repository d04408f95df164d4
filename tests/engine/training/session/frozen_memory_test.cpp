// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/trainer/rollback_guard.h"
#include "tests/engine/training/fixtures.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr int64_t kWidth = 1024;
constexpr int64_t kBackboneRows = 65'536;  // 256 MiB of float32
constexpr size_t kBackboneBytes = kBackboneRows * kWidth * 4;

/// Bytes of memory that belong to this process, without mapped files. Source: proc(5).
size_t ownBytes() {
    std::ifstream file("/proc/self/statm");
    size_t pages = 0, resident = 0, ofFiles = 0;
    file >> pages >> resident >> ofFiles;
    return (resident - ofFiles) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

/// A table of vectors, whose mean a head classifies; the table is frozen.
Artifacts makeArtifacts(int64_t rows) {
    const std::unique_ptr<Graph> model = parseText(R"(<ir_version: 8, opset_import: ["" : 13]>
        m (int64[N, 4] ids, float[R, 1024] table, float[1024, 3] head) => (float[N, 3] y) {
            h = Gather(table, ids)
            m = ReduceMean<axes = [1], keepdims = 0>(h)
            y = MatMul(m, head)
        })");
    Tensor table(DType::Float32, {rows, kWidth});
    std::ranges::fill(table.mutableValues<float>().first(4 * kWidth),
                      0.5F);  // the rest is untouched
    Tensor head(DType::Float32, {kWidth, 3});
    std::ranges::fill(head.mutableValues<float>(), 0.01F);
    model->inputToInitializer(model->at("table"), std::move(table));
    model->inputToInitializer(model->at("head"), std::move(head));
    ArtifactSpec spec;
    spec.frozen = {"table"};
    return generateArtifacts(*model, *allOps(), spec);
}

std::vector<Tensor> feeds(int64_t id = 1) {
    Tensor ids(DType::Int64, {2, 4});
    std::ranges::fill(ids.mutableValues<int64_t>(), id);
    return {ids, Tensor::of<int64_t>({2}, {0, 2})};
}

void saveLarge(const ArtifactPaths& paths, const Artifacts& artifacts) {
    WriteOptions options;
    options.externalDataThreshold = 1 << 20;
    writeCheckpoint(artifacts.checkpoint, paths.checkpoint, options);
}

}  // namespace

class FrozenMemoryTest : public QObject {
    Q_OBJECT

private slots:
    void aFrozenBackboneStaysInItsFile() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers have memory of their own");
#endif
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        ArtifactPaths paths;
        {
            const Artifacts artifacts = makeArtifacts(kBackboneRows);
            paths = saveArtifacts(artifacts, folder, {});
            saveLarge(paths, artifacts);
        }
        const size_t before = ownBytes();
        Artifacts artifacts = loadArtifacts(paths, *allOps());
        const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(std::move(artifacts), state, allOps());
        RollbackGuard guard;
        guard.begin(*state);
        for (int64_t step = 1; step <= 12; ++step) {
            const double loss = session.trainStep(feeds()).front().toDouble();
            session.optimizerStep();
            session.lazyResetGrad();
            StepEvent event;
            event.step = step;
            event.loss = loss;
            guard.note(event, *state);
        }
        state->save(folder / "last.ckpt", true);
        session.evalStep(feeds());
        session.exportModelForInferencing(folder / "model.onnx", {"y"});
        QVERIFY2(ownBytes() < before + kBackboneBytes / 4,
                 qPrintable(QString("%1 bytes more").arg(ownBytes() - before)));
        const CheckpointFile saved = readCheckpoint(folder / "last.ckpt");
        QCOMPARE(saved.frozen.front().data.byteSize(), kBackboneBytes);
        QCOMPARE(saved.frozen.front().data.values<float>()[kWidth], 0.5F);
    }

    /// Others that share a frozen parameter keep the old one; the session computes with the new
    /// one.
    void aFrozenParameterThatIsSetIsSetHereOnly() {
        const Artifacts artifacts = makeArtifacts(8);
        const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(artifacts, state, allOps());
        const double loss = session.evalStep(feeds()).front().toDouble();
        const double trainingLoss = session.trainStep(feeds()).front().toDouble();
        const CheckpointFile copy = state->toFile(false);
        Tensor table(DType::Float32, {8, kWidth});
        std::ranges::fill(table.mutableValues<float>(), -3.0F);
        Tensor head = state->parameterData("head");
        head.mutableValues<float>()[0] = 1;  // so that the classes differ
        state->setParameter("head", head);
        state->setParameter("table", table);
        QVERIFY(session.evalStep(feeds()).front().toDouble() != loss);
        session.lazyResetGrad();
        QVERIFY(session.trainStep(feeds()).front().toDouble() != trainingLoss);
        QCOMPARE(copy.frozen.front().data.values<float>()[0], 0.5F);
        QCOMPARE(artifacts.checkpoint.frozen.front().data.values<float>()[0], 0.5F);

        CheckpointState fresh(artifacts.checkpoint);
        fresh.setParameter("head", head);
        fresh.setParameter("table", table);
        TrainingSession other(artifacts, std::make_shared<CheckpointState>(fresh), allOps());
        QCOMPARE(session.evalStep(feeds()).front().toDouble(),
                 other.evalStep(feeds()).front().toDouble());

        state->assign(copy);
        QCOMPARE(session.evalStep(feeds()).front().toDouble(), loss);
    }
};

QTEST_GUILESS_MAIN(FrozenMemoryTest)
#include "frozen_memory_test.moc"
