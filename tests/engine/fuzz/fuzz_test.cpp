// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <array>
#include <chrono>
#include <random>

#include "engine/core/error.h"
#include "tests/engine/fuzz/fuzz_targets.h"

namespace temper::test {
namespace {

constexpr int kMutations = 4000;  // of each target
constexpr int kJourneys = 400;    // of a target with its own mutator: they take longer
constexpr double kLongestSeconds = 5;

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text));
}

size_t below(std::mt19937_64& random, size_t end) { return end == 0 ? 0 : random() % end; }

/// A way in which files are damaged or made to do damage.
void mutateOnce(std::string& input, std::mt19937_64& random) {
    static const std::array<std::string, 8> tokens = {
        std::string(8, '\xff'),       std::string(4, '\0'), "-1",    "99999999999999999999",
        std::string("\0\0\0\x80", 4), "((((((((",           "1e999", "\"\\ud800\""};
    const size_t at = below(random, input.size());
    switch (random() % 6) {
        case 0: input.resize(at); break;
        case 1:
            if (!input.empty()) input[at] = static_cast<char>(random());
            break;
        case 2:
            if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
            break;
        case 3: input.insert(at, tokens[random() % tokens.size()]); break;
        case 4: {
            const std::string& token = tokens[random() % tokens.size()];
            input.replace(at, std::min(token.size(), input.size() - at), token);
            break;
        }
        default: input.insert(at, input.substr(below(random, input.size()), random() % 64)); break;
    }
}

std::string changed(const FuzzTarget& target, std::string input, std::mt19937_64& random) {
    if (target.mutate != nullptr) return target.mutate(input, random());
    for (size_t change = 1 + random() % 4; change > 0; --change) mutateOnce(input, random);
    return input;
}

/// The problem, or nothing.
QString faultOf(const FuzzTarget& target, const std::string& input) {
    const auto start = std::chrono::steady_clock::now();
    try {
        target.run(bytesOf(input));
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return taken.count() > kLongestSeconds ? QString("took %1 s").arg(taken.count()) : QString();
}

}  // namespace

/// Every parser of external input, with valid inputs and damaged ones. A coverage-guided fuzzer
/// goes further: tools/fuzz.sh, docs/fuzzing.md.
class FuzzTest : public QObject {
    Q_OBJECT

private slots:
    void everyTargetHasSeeds();
    void damagedInputIsRefusedOrRead_data();
    void damagedInputIsRefusedOrRead();
};

void FuzzTest::everyTargetHasSeeds() {
    const auto seeds = fuzzSeeds();
    QCOMPARE(seeds.size(), fuzzTargets().size());
    for (const FuzzTarget& target : fuzzTargets()) {
        QVERIFY2(seeds.contains(target.name), target.name);
        QVERIFY2(!seeds.at(target.name).empty(), target.name);
    }
}

void FuzzTest::damagedInputIsRefusedOrRead_data() {
    QTest::addColumn<int>("number");
    for (size_t i = 0; i < fuzzTargets().size(); ++i)
        QTest::newRow(fuzzTargets()[i].name) << static_cast<int>(i);
}

void FuzzTest::damagedInputIsRefusedOrRead() {
    QFETCH(int, number);
    const FuzzTarget& target = fuzzTargets()[static_cast<size_t>(number)];
    const auto seeds = fuzzSeeds().at(target.name);
    for (const std::string& seed : seeds) {
        if (target.mutate != nullptr) break;
        QCOMPARE(QString::fromStdString(target.run(bytesOf(seed))), QString());
    }
    std::mt19937_64 random(static_cast<uint64_t>(number));
    for (int i = 0; i < (target.mutate == nullptr ? kMutations : kJourneys); ++i) {
        const std::string input = changed(target, seeds[random() % seeds.size()], random);
        const QString fault = faultOf(target, input);
        QVERIFY2(fault.isEmpty(),
                 qPrintable(
                     QString("input %1, %2: %3")
                         .arg(i)
                         .arg(QString(QByteArray::fromStdString(input).toHex().left(400)), fault)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FuzzTest)
#include "fuzz_test.moc"
