// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <QTest>
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/engine/training/fixtures.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int64_t> allocations{0};

/// oneDNN's execute() makes small objects of its own; they are not ours to avoid.
bool isOneDnn(void* caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
           std::string_view(info.dli_fname).find("libdnnl") != std::string_view::npos;
}

void count(void* caller) {
    if (counting && !isOneDnn(caller)) ++allocations;
}

void* allocate(size_t bytes, size_t alignment, void* caller) {
    count(caller);
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t), __builtin_return_address(0));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace temper::test {

/// A training step allocates when its plan is made, never again.
class AllocationTest : public QObject {
    Q_OBJECT

private slots:
    void theCounterCounts();
    void theSecondStepAllocatesNothing_data();
    void theSecondStepAllocatesNothing();
};

void AllocationTest::theCounterCounts() {
    allocations = 0;
    counting = true;
    auto number = std::make_unique<int64_t>(allocations.load());
    counting = false;
    QCOMPARE(allocations.load(), int64_t{1});
    QCOMPARE(*number, int64_t{0});
}

void AllocationTest::theSecondStepAllocatesNothing_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : {"mlp", "lenet", "resnet", "mobilenet"}) {
        QTest::addRow("%s, AdamW", model) << QString(model) << "adamw";
        QTest::addRow("%s, SGD", model) << QString(model) << "sgd";
    }
}

void AllocationTest::theSecondStepAllocatesNothing() {
    if (!conformanceIsThere()) QSKIP(kSharedAbsent);
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    ArtifactSpec spec;
    spec.optimizer = {optimizer.toStdString(), {}};
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), {2, 0});
    const std::vector<Tensor> feeds = feedsOf(session, fixture.data, 0);
    const auto step = [&] {
        session.trainStep(feeds);
        session.gradientNorm();
        session.scaleGradients(0.5F);
        session.optimizerStep();
        session.lazyResetGrad();
    };
    step();
    allocations = 0;
    counting = true;
    step();
    step();
    counting = false;
    QCOMPARE(allocations.load(), int64_t{0});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::AllocationTest)
#include "allocation_test.moc"
