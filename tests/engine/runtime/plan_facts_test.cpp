// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/plan_facts.h"

#include <QTest>

namespace temper::test {

class PlanFactsTest : public QObject {
    Q_OBJECT

private slots:
    void stepsAreFoundByTheirBuffers();
};

using Buffers = std::vector<uint32_t>;

ExecutionPlan::Step step(Buffers inputs, Buffers outputs, std::vector<size_t> mutatedInputs = {}) {
    ExecutionPlan::Step made;
    made.kernel = makeKernel([](const RunContext&) {}, {.mutatedInputs = std::move(mutatedInputs)});
    for (uint32_t i = 0; i <= inputs.size(); ++i) made.inputBegins.push_back(i);
    made.inputBuffers = std::move(inputs);
    made.outputBuffers = std::move(outputs);
    return made;
}

void PlanFactsTest::stepsAreFoundByTheirBuffers() {
    PlanDraft draft;
    const auto add = [&] { return draft.add({ExecutionPlan::BufferKind::Arena, {}, 0, {}}); };
    const uint32_t fed = add(), first = add(), second = add(), copied = add(), unused = add();
    draft.initialCopies.emplace_back(copied, Tensor());
    draft.steps.push_back(step({fed, fed}, {first}));
    draft.steps.push_back(step({first, 0}, {second, 0}));
    draft.steps.push_back(step({copied, first}, {0, 0}, {0}));
    draft.steps.push_back(step({copied}, {0}, {0}));
    draft.outputs.push_back({"y", false, {}, {second}});
    const PlanFacts facts(draft);

    const auto readers = [&](uint32_t buffer) {
        const auto found = facts.readersOf(buffer);
        return std::vector<size_t>(found.begin(), found.end());
    };
    QCOMPARE(readers(0), std::vector<size_t>());
    QCOMPARE(readers(fed), (std::vector<size_t>{0, 0}));
    QCOMPARE(readers(first), (std::vector<size_t>{1, 2}));
    QCOMPARE(readers(second), std::vector<size_t>());
    QCOMPARE(readers(copied), (std::vector<size_t>{2, 3}));
    QCOMPARE(facts.maker, (std::vector<size_t>{0, 0, 0, 1, 0, 0}));
    QCOMPARE(facts.makers, (std::vector<int>{4, 0, 1, 1, 0, 0}));
    QCOMPARE(facts.reads, (std::vector<int>{1, 2, 2, 0, 2, 0}));
    QCOMPARE(facts.allReads, (std::vector<int>{1, 2, 2, 1, 2, 0}));
    QCOMPARE(facts.firstUser, (std::vector<size_t>{0, 0, 0, 1, 0, 0}));
    QCOMPARE(facts.lastReader, (std::vector<size_t>{0, 0, 2, 4, 3, 0}));
    QCOMPARE(facts.isChanged, (std::vector<bool>{false, false, false, false, true, false}));
    QCOMPARE(facts.lastChanger[copied], size_t{3});
    QVERIFY(facts.isOutput(second));
    for (const uint32_t buffer : {fed, first, copied, unused}) QVERIFY(!facts.isOutput(buffer));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PlanFactsTest)
#include "plan_facts_test.moc"
