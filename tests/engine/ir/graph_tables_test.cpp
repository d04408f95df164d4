// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/core/random.h"
#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/graph_table.h"
#include "engine/ir/operator_table.h"

namespace temper::test {

constexpr int kChanges = 20000;

/// Names, sets and tables of a graph, compared with those of the standard library.
class GraphTablesTest : public QObject {
    Q_OBJECT

private slots:
    void valuesAreFoundByNameAfterAnyChange();
    void setsAreThoseOfTheStandardLibrary();
    void entriesOfTablesStayWhereTheyAre();
    void operatorsAreFoundByEitherNameOfTheirDomain();
};

/// Few names, so that most are taken, freed and taken again.
std::string anyName(Random& random) { return "v" + std::to_string(random.below(300)); }

void GraphTablesTest::valuesAreFoundByNameAfterAnyChange() {
    Graph graph;
    std::map<std::string, Value*> expected;
    Random random(1);
    for (int i = 0; i < kChanges; ++i) {
        const std::string name = anyName(random);
        const std::string other = anyName(random);
        const auto known = expected.find(name);
        QCOMPARE(graph.find(name), known == expected.end() ? nullptr : known->second);
        if (known == expected.end()) {
            expected[name] = graph.addInput(name, {});
        } else if (!expected.contains(other)) {
            graph.renameValue(known->second, other);
            expected[other] = known->second;
            expected.erase(known);
        } else if (random.below(2) == 0) {
            graph.removeInput(known->second);
            expected.erase(known);
        }
    }
    for (int i = 0; i < 300; ++i) {
        const std::string name = "v" + std::to_string(i);
        QCOMPARE(graph.find(name) != nullptr, expected.contains(name));
    }
}

std::vector<const Value*> someInputs(Graph& graph) {
    std::vector<const Value*> values;
    for (int i = 0; i < 200; ++i) values.push_back(graph.addInput("v" + std::to_string(i), {}));
    return values;
}

void GraphTablesTest::setsAreThoseOfTheStandardLibrary() {
    Graph graph;
    const std::vector<const Value*> values = someInputs(graph);
    Random random(2);
    ValueSet set;
    std::unordered_set<const Value*> expected;
    for (int i = 0; i < 150; ++i) {
        const Value* value = values[static_cast<size_t>(random.below(200))];
        QCOMPARE(set.insert(value), expected.insert(value).second);
    }
    for (const Value* value : values) QCOMPARE(set.contains(value), expected.contains(value));
    QVERIFY(!set.contains(nullptr));
    QVERIFY(!set.insert(nullptr));
    QCOMPARE(std::unordered_set<const Value*>(set.begin(), set.end()), expected);
    ValueSet all(values.begin(), values.end());
    all.merge(set);
    QCOMPARE(all.size(), values.size());
}

void GraphTablesTest::entriesOfTablesStayWhereTheyAre() {
    Graph graph;
    const std::vector<const Value*> values = someInputs(graph);
    ValueTable<std::string> table;
    const std::string* first = &(table[values.back()] = "first");
    for (const Value* value : values) table[value] += value->name();
    QCOMPARE(&table.at(values.back()), first);
    QCOMPARE(*first, "first" + values.back()->name());
    QCOMPARE(table.at(values.front()), values.front()->name());
    const Value* absent = graph.addInput("absent", {});
    QVERIFY(table.find(absent) == nullptr);
    QVERIFY(table.find(nullptr) == nullptr);
    QVERIFY_THROWS_EXCEPTION(Error, table.at(absent));
}

void GraphTablesTest::operatorsAreFoundByEitherNameOfTheirDomain() {
    OperatorTable<int> table;
    QVERIFY(table.add("", "Relu", 1));
    QVERIFY(!table.add("ai.onnx", "Relu", 2));
    QVERIFY(table.add(kMicrosoftDomain, "Relu", 3));
    QCOMPARE(*table.find("", "Relu"), 1);
    QCOMPARE(*table.find("ai.onnx", "Relu"), 1);
    QCOMPARE(*table.find(kMicrosoftDomain, "Relu"), 3);
    QVERIFY(table.find("", "Gelu") == nullptr);
    table.set("", "Relu", 4);
    QCOMPARE(*table.find("ai.onnx", "Relu"), 4);
    QCOMPARE(table.all().size(), size_t{2});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphTablesTest)
#include "graph_tables_test.moc"
