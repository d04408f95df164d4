// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/file.h"
#include "engine/core/joined.h"
#include "engine/core/string_tensor.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/cpu/processor_name.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/trainer/rollback_guard.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/lesson_run.h"
#include "tests/support/reference_device.h"

using namespace temper;
using namespace temper::test;

namespace {

/// All bytes that a session holds, by kind.
using Bits = std::map<std::string, std::vector<std::byte>>;

std::vector<std::byte> bytesOf(const Tensor& tensor) {
    const Tensor data = tensor.onHost();
    return {data.data(), data.data() + data.byteSize()};
}

Bits bitsOf(TrainingSession& session) {
    Bits bits;
    for (const Parameter& parameter : session.state().parameters()) {
        bits["parameter " + parameter.name] = bytesOf(parameter.data);
        if (parameter.requiresGrad)
            bits["gradient " + parameter.name] = bytesOf(parameter.gradient);
    }
    for (const auto& [parameter, moments] : session.state().optimizerState().moments)
        for (const auto& [name, data] : moments) bits[name + " of " + parameter] = bytesOf(data);
    return bits;
}

/// Trains a model of PyTorch's as users do: accumulated, clipped, averaged, evaluated.
Bits train(const TorchFixture& fixture, const std::string& optimizer, const std::string& device,
           int threads) {
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec(optimizer));
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(),
                            {.threads = threads, .device = device});
    session.setLearningRate(TorchFixture::learningRate(optimizer));
    session.setWeightAverage(0.9);
    Bits bits;
    const bool isOnHost = session.state().parameters()[0].data.isOnHost();
    TEMPER_ASSERT(isOnHost == session.context().device->usesHostMemory(),
                  "the state is where the session computes");
    for (int64_t step = 0; step < 4; ++step) {
        const std::string at = " of step " + std::to_string(step);
        bits["loss" + at] = bytesOf(session.trainStep(feedsOf(session, fixture.data, step))[0]);
        if (step % 2 == 0) continue;  // two batches for one step
        const double norm = session.gradientNorm();
        bits["norm" + at] = bytesOf(Tensor::scalar(norm));
        session.scaleGradients(static_cast<float>(0.5 / norm));
        session.clampGradients(0.01F);
        session.optimizerStep();
        session.lazyResetGrad();
        bits["evaluation" + at] =
            bytesOf(session.evalStep(feedsOf(session, fixture.data, step, false))[0]);
    }
    bits.merge(bitsOf(session));
    return bits;
}

/// Names of what differs.
QStringList differences(const Bits& first, const Bits& second) {
    QStringList names;
    for (const auto& [name, bytes] : first) {
        const auto found = second.find(name);
        if (found == second.end() || found->second != bytes) names << QString::fromStdString(name);
    }
    if (first.size() != second.size()) names << "another number of things";
    return names;
}

/// Whether a process that runs `act` ends normally.
bool endsWell(const std::function<void()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        act();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

/// The reference device: its memory is separate and its work is deferred, so that code that
/// bypasses the device interface faults or gives other bits.
class DeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { addReferenceDevice(); }

    void theHostCanNotTouchItsMemory() {
        ReferenceDevice device(allOps()->cpuKernels, 1);
        const Tensor ours = Tensor::of<float>({3}, {1, 2, 3});
        const Tensor there = ours.in(device.memory());
        QVERIFY(!there.isOnHost() && ours.isOnHost());
        QCOMPARE(bytesOf(there), bytesOf(ours));
        QVERIFY_THROWS_EXCEPTION(Error, there.data());
        QVERIFY_THROWS_EXCEPTION(Error, there.values<float>());
        const auto readFirst = [](const Tensor& tensor) {
            return [&tensor] {
                const auto value = *reinterpret_cast<const volatile float*>(tensor.address());
                if (value != 1) ::_exit(2);
            };
        };
        QVERIFY(endsWell(readFirst(ours)));
        QVERIFY(!endsWell(readFirst(there)));
    }

    void tensorsMoveInAndOut() {
        ReferenceDevice device(allOps()->cpuKernels, 1);
        const Tensor ours = Tensor::of<int64_t>({2, 2}, {1, -2, 3, 4});
        Tensor there = ours.in(device.memory());
        QCOMPARE(there.in(device.memory()).address(), there.address());
        Tensor copy = there.duplicate();
        QVERIFY(!copy.isOnHost() && copy.address() != there.address());
        there.assign(Tensor::of<int64_t>({2, 2}, {5, 6, 7, 8}));
        QCOMPARE(bytesOf(copy), bytesOf(ours));
        copy.assign(there);
        QCOMPARE(copy.onHost().values<int64_t>()[3], int64_t{8});
        QCOMPARE(there.cast(DType::Float32).values<float>()[0], 5.0F);
        QVERIFY(there.clone().isOnHost());
        Tensor number(DType::Float32, {1}, device.memory());
        QCOMPARE(number.toDouble(), 0.0);
        setScalar(number, 2.5F);
        QCOMPARE(number.toDouble(), 2.5);
        QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::String, {1}, device.memory()));
    }

    void freedMemoryIsReused() {
        ReferenceDevice device(allOps()->cpuKernels, 1);
        const std::byte* first = nullptr;
        for (int i = 0; i < 1000; ++i) {
            const Tensor large(DType::Float32, {1 << 20}, device.memory());
            const Tensor small(DType::Float32, {1}, device.memory());
            if (first == nullptr) first = large.address();
            QCOMPARE(static_cast<const std::byte*>(large.address()), first);
        }
    }

    void workRunsInOrderAndItsErrorsComeWithTheWait() {
        ReferenceDevice device(allOps()->cpuKernels, 1);
        std::string order;
        for (const char* each : {"a", "b", "c"}) device.submit([&order, each] { order += each; });
        device.synchronize();
        QCOMPARE(order, std::string("abc"));
        device.submit([] { throw Error(ErrorCode::InvalidInput, "no"); });
        device.submit([&order] { order += "d"; });
        QVERIFY_THROWS_EXCEPTION(Error, device.synchronize());
        QCOMPARE(order, std::string("abc"));
        device.submit([&order] { order += "e"; });
        device.synchronize();
        QCOMPARE(order, std::string("abce"));
    }

    void allModelsTrainToTheSameBits_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("optimizer");
        for (const char* model : kTorchModels)
            for (const char* optimizer : {"adamw", "sgd"})
                QTest::addRow("%s with %s", model, optimizer) << model << optimizer;
    }
    void allModelsTrainToTheSameBits() {
        QFETCH(QString, model);
        QFETCH(QString, optimizer);
        const TorchFixture fixture(model.toStdString());
        const Bits here = train(fixture, optimizer.toStdString(), "cpu", 2);
        const Bits there = train(fixture, optimizer.toStdString(), "reference", 2);
        QVERIFY(here.size() > 8);
        QCOMPARE(differences(here, there), QStringList());
    }

    void aRunGivesTheSameEventsAndFiles_data() {
        QTest::addColumn<QString>("lesson");
        for (const char* lesson : {"iris", "digits", "spirals"}) QTest::newRow(lesson) << lesson;
    }
    void aRunGivesTheSameEventsAndFiles() {
        QFETCH(QString, lesson);
        QTemporaryDir folder;
        std::map<std::string, std::string> saved;
        std::map<std::string, std::vector<double>> losses, evaluations;
        for (const std::string device : {"cpu", "reference"}) {
            TrainingSpec spec = findLesson(lesson.toStdString()).spec;
            spec.run.session.device = device;
            spec.run.epochs = 2;
            spec.run.clipNorm = 1;
            spec.run.clipValue = 0.1;
            spec.run.averageDecay = 0.9;
            spec.run.evaluateAverage = true;
            spec.run.saveFolder = folder.filePath(QString::fromStdString(device)).toStdString();
            LessonRun run(spec, lesson.toStdString());
            RollbackGuard guard;
            RunControl control;
            Trainer trainer(*run.session, run.data, run.spec, control,
                            [&](const RunEvent& event) { run.events.push_back(event); });
            trainer.watchLayers(1);
            trainer.keepGoodState(guard);
            QCOMPARE(trainer.run(), RunOutcome::Finished);
            losses[device] = run.losses();
            for (const EvalEvent& event : run.all<EvalEvent>())
                evaluations[device].push_back(event.loss);
            for (const LayersEvent& event : run.all<LayersEvent>())
                for (const LayerStatistics& layer : *event.layers)
                    losses[device].push_back(layer.updateRatio);
            guard.rollBack(*run.state);
            saved[device] = readFile(spec.run.saveFolder + "/last.ckpt");
            const auto exported = folder.filePath("model.onnx").toStdString();
            run.session->exportModelForInferencing(
                exported, {run.session->artifacts().evalModel->outputs()[0]->name()});
            saved[device] += readFile(exported);
        }
        QVERIFY(losses["cpu"].size() > 8);
        QCOMPARE(losses["reference"], losses["cpu"]);
        QCOMPARE(evaluations["reference"], evaluations["cpu"]);
        QVERIFY(saved["reference"] == saved["cpu"]);
    }

    void errorsOfANodeAreReportedByTheWait() {
        TrainingSpec spec = findLesson("iris").spec;
        spec.run.session.device = "reference";
        LessonRun run(spec, "iris");
        std::vector<Tensor> feeds;
        for (const std::string& name : run.session->inputNames()) {
            const ValueType type = run.session->inputType(name);
            Shape shape;
            for (const Dim& dim : *type.shape) shape.push_back(dim.isNumber() ? dim.value : 2);
            feeds.emplace_back(type.dtype, shape);
            if (type.dtype == DType::Int64) feeds.back().mutableValues<int64_t>()[0] = 99;
        }
        try {
            run.session->trainStep(feeds);
            QFAIL("99 is no class");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("99"), error.what());
        }
    }

    void aNodeThatMakesStringsIsRefusedByName() {
        const auto graph = parseText(
            "<ir_version: 8, opset_import: [\"\": 20]> g (string[2] x) => (string[4] y) "
            "{ y = Concat<axis = 0>(x, x) }");
        const auto device = std::make_shared<ReferenceDevice>(allOps()->cpuKernels, 1);
        GraphRunner runner(std::shared_ptr<const Graph>(graph->clone()), allOps()->catalog,
                           device->kernels(), std::make_shared<Arena>(device), device->pool());
        const std::string_view texts[] = {"a", "b"};
        try {
            runner.run(std::vector{stringTensor({2}, texts)});
            QFAIL("the device has no memory for strings");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("Concat"), error.what());
            QCOMPARE(error.hint(), std::string(kChooseHostMemory));
        }
    }

    void missingDevicesAreRefusedWithAListOfTheOthers() {
        try {
            makeDevice("cuda:1", allOps()->cpuKernels);
            QFAIL("there is none");
        } catch (const Error& error) {
            QCOMPARE(QString(error.what()), QString("Device 'cuda:1' is not available."));
            QCOMPARE(
                QString::fromStdString(error.hint()),
                QString::fromStdString("Devices of this build: " + joined(deviceNames()) + "."));
        }
        QVERIFY(makeDevice("cpu:0", allOps()->cpuKernels)->usesHostMemory());
        QVERIFY(!makeDevice("reference:0", allOps()->cpuKernels)->usesHostMemory());
        QVERIFY_THROWS_EXCEPTION(Error, addDevice({"cpu", {}}));
    }

    void aDeviceIsDescribedByItsHardwareIfItIsKnown() {
        QCOMPARE(describeDevice("reference"), std::string("reference"));
        QCOMPARE(describeDevice("none"), std::string("none"));
        const std::string processor = processorName();
        QCOMPARE(describeDevice("cpu"), processor.empty() ? "cpu" : "cpu: " + processor);
    }
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
