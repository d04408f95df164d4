// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <map>

#include "engine/training/optimizers/parameter_groups.h"
#include "engine/training/parameters/group_membership.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

namespace {

const std::vector<std::string> kNames{"conv1.weight", "conv1.bias", "conv2.weight",
                                      "conv2.bias",   "fc.weight",  "fc.bias"};

QString matching(const std::string& text) {
    const NamePatterns patterns(text);
    QStringList names;
    for (const std::string& name : kNames)
        if (patterns.matches(name)) names << QString::fromStdString(name);
    return names.join(' ');
}

/// The group of each name, identified by its factor: groups may be removed, factors remain.
std::map<std::string, double> factors(const std::vector<ParameterGroup>& groups) {
    const GroupMembership membership(groups);
    std::map<std::string, double> found;
    for (const std::string& name : kNames) {
        const auto group = membership.groupOf(name);
        found[name] = group ? groups[*group].learningRateFactor : 0;
    }
    return found;
}

size_t emptyGroups(const std::vector<ParameterGroup>& groups) {
    const GroupMembership membership(groups);
    std::set<size_t> filled;
    for (const std::string& name : kNames)
        if (const auto group = membership.groupOf(name)) filled.insert(*group);
    return groups.size() - filled.size();
}

std::set<std::string> subset(unsigned mask) {
    std::set<std::string> names;
    for (size_t i = 0; i < kNames.size(); ++i)
        if ((mask >> i & 1U) != 0) names.insert(kNames[i]);
    return names;
}

constexpr double kNewFactor = 1;  // of a group in which nobody has set anything

}  // namespace

class GroupMembershipTest : public QObject {
    Q_OBJECT

private slots:
    void patternsListNames_data() {
        QTest::addColumn<QString>("patterns");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* name, const char* patterns, const char* names) {
            QTest::newRow(name) << patterns << names;
        };
        row("a name", "fc.bias", "fc.bias");
        row("a pattern", "conv?.bias", "conv1.bias conv2.bias");
        row("a list", "fc.bias, conv1.*", "conv1.weight conv1.bias fc.bias");
        row("a list without blanks", "fc.bias,conv1.bias", "conv1.bias fc.bias");
        row("one left out", "conv*, !conv1.bias", "conv1.weight conv2.weight conv2.bias");
        row("the last that matches decides", "conv*, !*.bias, conv2.bias",
            "conv1.weight conv2.weight conv2.bias");
        row("left out again", "conv1.bias, fc.bias, !conv*", "fc.bias");
        row("all but some", "!*.weight", "conv1.bias conv2.bias fc.bias");
        row("a blank behind the mark", "* , ! fc.*",
            "conv1.weight conv1.bias conv2.weight conv2.bias");
        row("in quotes", "\"fc.bias\"", "fc.bias");
        row("no pattern in quotes", "\"fc.*\"", "");
        row("commas only", " , ,", "");
        row("nothing", "", "");
    }
    void patternsListNames() {
        QFETCH(QString, patterns);
        QFETCH(QString, names);
        QCOMPARE(matching(patterns.toStdString()), names);
        // Written back, it says the same.
        const std::string again = NamePatterns(patterns.toStdString()).text();
        QCOMPARE(matching(again), names);
        QCOMPARE(NamePatterns(again).text(), again);
    }

    void oddNamesAreQuoted_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"a,b", "w*", "w?", "!w", "\"w\"", " w", "w ", "a\"b", "a, \"b\"",
                                 "onnx::MatMul_12", "/stem/conv.weight", "große Schicht"})
            QTest::newRow(name) << QString(name);
    }
    void oddNamesAreQuoted() {
        QFETCH(QString, name);
        const std::string odd = name.toStdString();
        NamePatterns list("fc.bias");
        list.add({odd});
        const NamePatterns again(list.text());
        QVERIFY2(again.matches(odd), list.text().c_str());
        for (const char* other : {"a", "b", "w", "w1", "ww", "onnx"})
            QVERIFY2(odd == other || !again.matches(other), list.text().c_str());
        list.remove({odd});
        QCOMPARE(list.text(), std::string("fc.bias"));
        // A group from an older file may have it as its whole pattern.
        QVERIFY(NamePatterns(odd).matches(odd));
    }

    void movesAreWrittenAsAPersonWould_data() {
        QTest::addColumn<QStringList>("before");
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<int>("to");
        QTest::addColumn<QStringList>("after");
        const QStringList two{"conv*", "fc.weight"};
        QTest::newRow("to a list")
            << two << QStringList{"fc.bias"} << 1 << QStringList{"conv*", "fc.weight, fc.bias"};
        QTest::newRow("out of a pattern")
            << two << QStringList{"conv1.bias"} << 1
            << QStringList{"conv*, !conv1.bias", "fc.weight, conv1.bias"};
        QTest::newRow("back into the pattern")
            << QStringList{"conv*, !conv1.bias", "fc.weight, conv1.bias"}
            << QStringList{"conv1.bias"} << 0 << two;
        QTest::newRow("a new group")
            << two << QStringList{"conv1.bias", "fc.bias"} << 2
            << QStringList{"conv*, !conv1.bias", "fc.weight", "conv1.bias, fc.bias"};
        QTest::newRow("the first of all")
            << QStringList{} << QStringList{"fc.bias"} << 0 << QStringList{"fc.bias"};
        QTest::newRow("up, over a pattern that matches, too")
            << QStringList{"fc.weight", "*"} << QStringList{"fc.bias"} << 0
            << QStringList{"fc.weight, fc.bias", "*"};
        QTest::newRow("out of all") << two << QStringList{"conv1.bias", "fc.weight"} << -1
                                    << QStringList{"conv*, !conv1.bias"};
        QTest::newRow("the last one goes, and its group")
            << two << QStringList{"fc.weight"} << 0 << QStringList{"conv*, fc.weight"};
        QTest::newRow("where it is already")
            << QStringList{"conv*,fc.weight"} << QStringList{"conv1.bias"} << 0
            << QStringList{"conv*,fc.weight"};
        QTest::newRow("not of others, as they were written")
            << QStringList{"conv1.*,conv2.*", "fc.weight"} << QStringList{"fc.bias"} << 1
            << QStringList{"conv1.*,conv2.*", "fc.weight, fc.bias"};
        QTest::newRow("all but some, and one more")
            << QStringList{"!*.bias"} << QStringList{"fc.bias"} << 0
            << QStringList{"*, !*.bias, fc.bias"};
    }
    void movesAreWrittenAsAPersonWould() {
        QFETCH(QStringList, before);
        QFETCH(QStringList, names);
        QFETCH(int, to);
        QFETCH(QStringList, after);
        std::vector<ParameterGroup> groups;
        for (const QString& pattern : before) groups.push_back({pattern.toStdString()});
        ParameterMove move;
        for (const QString& name : names) move.names.insert(name.toStdString());
        if (to >= 0) move.to = static_cast<size_t>(to);
        QStringList found;
        for (const ParameterGroup& group : withParametersMoved(groups, kNames, move))
            found << QString::fromStdString(group.pattern);
        QCOMPARE(found, after);
    }

    /// Wherever a parameter moves: it is there, all others are where they were, and no group
    /// becomes empty.
    void everyMoveMovesTheseAndNoOthers_data() {
        QTest::addColumn<QStringList>("patterns");
        QTest::newRow("none") << QStringList{};
        QTest::newRow("patterns") << QStringList{"conv1.*", "*.bias"};
        QTest::newRow("patterns of everything") << QStringList{"*.weight", "*"};
        QTest::newRow("lists") << QStringList{"fc.bias, conv1.bias", "conv*, fc.*"};
        QTest::newRow("left out") << QStringList{"!*.bias", "*.bias, !fc.*", "fc*"};
        QTest::newRow("left out and taken in again")
            << QStringList{"conv*, !*.bias, conv2.bias", "conv1.bias, !conv1.bias, fc.weight"};
    }
    void everyMoveMovesTheseAndNoOthers() {
        QFETCH(QStringList, patterns);
        std::vector<ParameterGroup> groups;
        for (const QString& pattern : patterns)
            groups.push_back({pattern.toStdString(), 10.0 + static_cast<double>(groups.size())});
        int moves = 0;
        for (unsigned mask = 1; mask < (1U << kNames.size()); ++mask) {
            for (size_t to = 0; to <= groups.size() + 1; ++to) {
                ParameterMove move{subset(mask), to};
                double there = to < groups.size() ? groups[to].learningRateFactor : kNewFactor;
                if (to > groups.size()) {
                    move.to = std::nullopt;
                    there = 0;
                }
                auto expected = factors(groups);
                for (const std::string& name : move.names) expected[name] = there;
                const auto after = withParametersMoved(groups, kNames, move);
                QVERIFY2(factors(after) == expected,
                         qPrintable(QString("names %1 to %2").arg(mask).arg(to)));
                QVERIFY(emptyGroups(after) <= emptyGroups(groups));
                ++moves;
            }
        }
        QCOMPARE(moves, 63 * (static_cast<int>(groups.size()) + 2));
    }

    void aGroupWithoutParametersStaysIfNoneMovedAway() {
        const std::vector<ParameterGroup> groups{{"head.*"}, {"fc.weight"}};
        const auto after = withParametersMoved(groups, kNames, {{"fc.bias"}, 1});
        QCOMPARE(after.size(), size_t{2});
        QCOMPARE(after[0].pattern, std::string("head.*"));
    }

    /// The effective numbers of each parameter.
    void ratesAndDecaysAreThoseOfTheGroups() {
        const auto model = parseText(R"(
            <ir_version: 8, opset_import: ["" : 17]>
            two (float[1, 2] x) => (float[1, 2] y)
            <float[2, 2] conv1.weight = {1, 1, 1, 1}, float[2] conv1.bias = {0, 0},
             float[2, 2] fc.weight = {1, 1, 1, 1}, float[2] fc.bias = {0, 0}>
            {
                h = Gemm(x, conv1.weight, conv1.bias)
                y = Gemm(h, fc.weight, fc.bias)
            })");
        ArtifactSpec spec;
        spec.optimizer = {"adamw-torch", {{"weight_decay", 0.5}}};
        spec.parameterGroups = {{"*.weight, !fc.*", 0.25, 0.125}, {"fc.bias, fc.weight", 4}};
        const std::vector<std::string> names{"conv1.weight", "conv1.bias", "fc.weight", "fc.bias"};
        const GroupedParameters found = groupParameters(*model, names, spec);
        QCOMPARE(found.learningRateFactors, (std::vector<float>{0.25F, 1, 4, 4}));
        QCOMPARE(found.weightDecays, (std::vector<float>{0.125F, 0.5F, 0.5F, 0.5F}));
        QVERIFY(checkParameterGroups(names, {}, spec).empty());
    }

    void parametersAreMovedByTheNamesOfTheirModule_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::newRow("a pattern") << "body.*"
                                   << "head.*";
        QTest::newRow("the name") << "body.fc.weight"
                                  << "head.weight";
        QTest::newRow("the tensor's name") << "val_2"
                                           << "val_7";
    }
    /// The tensors 'val_2' and 'val_7' hold weights with other names in the module.
    void parametersAreMovedByTheNamesOfTheirModule() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        const ModuleNames modules{{"val_2", {"body.fc.weight"}}, {"val_7", {"head.weight"}}};
        const std::vector<std::string> names{"val_2", "val_7", "body.fc.bias", "head.bias"};
        const std::vector<ParameterGroup> groups{{first.toStdString() + ", body.fc.bias", 0.5},
                                                 {second.toStdString() + ", head.bias", 2}};
        const auto groupOf = [&](const std::vector<ParameterGroup>& of) {
            return GroupMembership(of, modules).groupOf("val_2");
        };
        QCOMPARE(groupOf(groups), std::optional<size_t>(0));
        for (const std::optional<size_t> to : {std::optional<size_t>(0), std::optional<size_t>(1),
                                               std::optional<size_t>(2), std::optional<size_t>()}) {
            const auto moved = withParametersMoved(groups, names, {{"val_2"}, to}, modules);
            QCOMPARE(groupOf(moved), to);
            const GroupMembership others(moved, modules);
            QCOMPARE(others.groupOf("val_7"), std::optional<size_t>(1));
            QCOMPARE(others.groupOf("body.fc.bias"), std::optional<size_t>(0));
            QCOMPARE(others.groupOf("head.bias"), std::optional<size_t>(1));
        }
    }

    void frozenParametersAreInAGroupOnceTheyTrain() {
        ArtifactSpec spec;
        spec.parameterGroups = {{"fc.bias, fc.weight", 4}};
        const auto severity = [&](const std::vector<std::string>& trained,
                                  const std::vector<std::string>& frozen) {
            const auto found = checkParameterGroups(trained, frozen, spec);
            return found.empty() ? -1 : static_cast<int>(found.front().severity);
        };
        QCOMPARE(severity({"fc.bias"}, {"fc.weight"}), -1);
        QCOMPARE(severity({"conv1.bias"}, {"fc.weight"}), static_cast<int>(Severity::Info));
        QCOMPARE(severity({"conv1.bias"}, {"conv1.weight"}), static_cast<int>(Severity::Error));
    }

    /// As files were written formerly, and as they are now.
    void groupsAreReadFromOlderFiles() {
        const TrainingSpec old = trainingSpecFromJson(R"({"artifacts": {"parameter_groups": [
            {"pattern": "conv*", "learning_rate_factor": 0.5},
            {"pattern": "*.bias", "learning_rate_factor": 1, "weight_decay": 0}]}})");
        const auto& groups = old.artifacts.parameterGroups;
        QCOMPARE(factors(groups), (std::map<std::string, double>{{"conv1.weight", 0.5},
                                                                 {"conv1.bias", 0.5},
                                                                 {"conv2.weight", 0.5},
                                                                 {"conv2.bias", 0.5},
                                                                 {"fc.weight", 0},
                                                                 {"fc.bias", 1}}));
        TrainingSpec spec;
        spec.artifacts.parameterGroups =
            withParametersMoved(groups, kNames, {{"conv1.bias", "fc.weight"}, 1});
        const std::string json = toJson(spec);
        QVERIFY2(json.find("\"conv*, !conv1.bias\"") != std::string::npos, json.c_str());
        QVERIFY2(json.find("\"*.bias, fc.weight\"") != std::string::npos, json.c_str());
        QVERIFY(trainingSpecFromJson(json) == spec);
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GroupMembershipTest)
#include "group_membership_test.moc"
