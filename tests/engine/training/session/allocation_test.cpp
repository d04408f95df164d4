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
std::atomic<void*> latestCaller{nullptr};

/// oneDNN's execute() allocates small objects, which we can't avoid.
bool isOneDnn(void* caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
           std::string_view(info.dli_fname).find("libdnnl") != std::string_view::npos;
}

void count(void* caller) {
    if (!counting || isOneDnn(caller)) return;
    ++allocations;
    latestCaller = caller;
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

/// A training step allocates when its plan is compiled, never again.
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

/// "file+offset", for addr2line.
QString placeOf(void* caller) {
    Dl_info info;
    if (caller == nullptr || dladdr(caller, &info) == 0) return "an unknown place";
    const auto offset = static_cast<char*>(caller) - static_cast<char*>(info.dli_fbase);
    return QString("%1+0x%2").arg(info.dli_fname).arg(offset, 0, 16);
}

void AllocationTest::theSecondStepAllocatesNothing() {
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
    QVERIFY2(allocations == 0, qPrintable(QString("%1 allocations, the latest by %2")
                                              .arg(allocations.load())
                                              .arg(placeOf(latestCaller))));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::AllocationTest)
#include "allocation_test.moc"
