// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/runs/run_log.h"
#include "engine/runs/step_line.h"

namespace temper::test {

namespace fs = std::filesystem;

/// Logs whose name ends with .tlog: the same events in a ninth of the space.
class CompactLogTest : public QObject {
    Q_OBJECT

private slots:
    void everyEventComesBackBitByBit();
    void numbersOfAllKindsComeBackBitByBit();
    void stepsTakeANinthOfTheirLines();
    void aLogThatWasCutOffAnywhereHasWhatIsWhole();
    void damagedRecordsAreRefusedByTheirNumber_data();
    void damagedRecordsAreRefusedByTheirNumber();
    void aContinuedLogKeepsItsForm_data();
    void aContinuedLogKeepsItsForm();
    void copiesInTheOtherFormAndBackAreTheSameLines();
    void plainStepLinesAreReadAsTheParserReadsThem_data();
    void plainStepLinesAreReadAsTheParserReadsThem();
    void otherLinesAreLeftToTheParser_data();
    void otherLinesAreLeftToTheParser();

private:
    fs::path path(const char* name) const { return dir_.filePath(name).toStdString(); }
    static std::vector<RunEvent> steps(int64_t count, int64_t first = 1);
    static void write(const fs::path& path, const std::vector<RunEvent>& events);
    static void compare(const std::vector<RunEvent>& found, const std::vector<RunEvent>& expected);
    QTemporaryDir dir_;
};

/// As in a run: times of a clock with nanoseconds, losses of 32 bits.
std::vector<RunEvent> CompactLogTest::steps(int64_t count, int64_t first) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform;
    std::vector<RunEvent> events;
    int64_t nanoseconds = 0;
    for (int64_t step = first; step < first + count; ++step) {
        const auto computing = static_cast<int64_t>(1e6 + 1e5 * uniform(random));
        const auto waiting = static_cast<int64_t>(1e4 * uniform(random));
        nanoseconds += computing + waiting + 2000;
        const auto loss = static_cast<float>(2.3 / static_cast<double>(step) + uniform(random));
        events.push_back({static_cast<double>(nanoseconds) / 1e9,
                          StepEvent{.step = step,
                                    .epoch = static_cast<double>(step) / 937,
                                    .loss = static_cast<double>(loss),
                                    .learningRate = static_cast<double>(1e-3F),
                                    .gradientNorm = 3 * uniform(random),
                                    .samples = 64,
                                    .stepSeconds = static_cast<double>(computing) / 1e9,
                                    .dataWaitSeconds = static_cast<double>(waiting) / 1e9,
                                    .arenaBytes = 123'456'789}});
    }
    return events;
}

void CompactLogTest::write(const fs::path& path, const std::vector<RunEvent>& events) {
    RunLog log(path);
    for (const RunEvent& event : events) log.write(event);
}

bool sameBits(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool sameStep(const StepEvent& a, const StepEvent& b) {
    return a.step == b.step && a.samples == b.samples && a.arenaBytes == b.arenaBytes &&
           sameBits(a.epoch, b.epoch) && sameBits(a.loss, b.loss) &&
           sameBits(a.learningRate, b.learningRate) && sameBits(a.gradientNorm, b.gradientNorm) &&
           sameBits(a.stepSeconds, b.stepSeconds) && sameBits(a.dataWaitSeconds, b.dataWaitSeconds);
}

void CompactLogTest::compare(const std::vector<RunEvent>& found,
                             const std::vector<RunEvent>& expected) {
    QCOMPARE(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        const auto* step = std::get_if<StepEvent>(&expected[i].fact);
        const auto* other = std::get_if<StepEvent>(&found[i].fact);
        QVERIFY2(sameBits(found[i].time, expected[i].time), qPrintable(QString::number(i)));
        QCOMPARE(toJsonLine(found[i]), toJsonLine(expected[i]));
        if (step != nullptr)
            QVERIFY2(other != nullptr && sameStep(*step, *other), qPrintable(QString::number(i)));
    }
}

void CompactLogTest::everyEventComesBackBitByBit() {
    std::vector<RunEvent> events = steps(500);
    events.insert(events.begin(), {0, StartedEvent{100, 12, 40, 10, 0, 55, 60}});
    events.insert(events.begin() + 100, {0.5, EvalEvent{99, 2, 0.5, {{"accuracy", 0.75}}, 12}});
    events.insert(events.begin() + 200, {0.6, RolledBackEvent{120, 199}});
    for (const RunEvent& event : steps(50, 121)) events.push_back(event);
    events.push_back({9, EndEvent{RunOutcome::Failed, 170, 9, "Loss is NaN.", "", "", "R001"}});
    const RunSettings settings{"digits", "temper train out", {{"loss", "mse"}}, {{"cpu", "x"}}};
    {
        RunLog log(path("whole.tlog"));
        log.write(settings);
        for (const RunEvent& event : events) log.write(event);
    }
    compare(readRunEvents(path("whole.tlog")), events);
    const RunRecord record = readRunLog(path("whole.tlog"));
    QCOMPARE(record.settings.title, settings.title);
    QVERIFY(record.settings.choices == settings.choices);
    QCOMPARE(record.steps.back().step, int64_t{170});
    QCOMPARE(record.end->code, std::string("R001"));
}

void CompactLogTest::numbersOfAllKindsComeBackBitByBit() {
    using Limits = std::numeric_limits<double>;
    const std::vector<double> numbers = {
        0,   -0.0, 1,    -1.5, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e-310,
        1e9, 9e9,  -9e9, 1e18, Limits::max(),       -Limits::max(),     Limits::denorm_min()};
    const std::vector<int64_t> integers = {
        0, 1, -1, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 64};
    std::vector<RunEvent> events;
    for (size_t i = 0; i < 400; ++i) {
        const auto number = [&](size_t k) { return numbers[(i * (k + 1) + k) % numbers.size()]; };
        const auto integer = [&](size_t k) { return integers[(i + k) % integers.size()]; };
        events.push_back({number(0), StepEvent{integer(0), number(1), number(2), number(3),
                                               number(4), integer(1), number(5), number(6),
                                               static_cast<size_t>(integer(2))}});
    }
    StepPacking packing, unpacking;
    for (const RunEvent& event : events) {
        const auto& step = std::get<StepEvent>(event.fact);
        const RunEvent found = unpacking.unpack(packing.pack(event.time, step));
        QVERIFY(sameBits(found.time, event.time));
        QVERIFY(sameStep(std::get<StepEvent>(found.fact), step));
    }
}

void CompactLogTest::stepsTakeANinthOfTheirLines() {
    write(path("steps.jsonl"), steps(5000));
    write(path("steps.tlog"), steps(5000));
    const auto lines = fs::file_size(path("steps.jsonl")),
               packed = fs::file_size(path("steps.tlog"));
    QVERIFY2(packed * 9 <= lines, qPrintable(QString("%1 of %2 bytes").arg(packed).arg(lines)));
}

void CompactLogTest::aLogThatWasCutOffAnywhereHasWhatIsWhole() {
    std::vector<RunEvent> events = steps(4);
    events.insert(events.begin() + 2, {0.5, WarningEvent{2, "a\nb", "c"}});
    write(path("long.tlog"), events);
    const std::string whole = readFile(path("long.tlog"));
    size_t before = 0;
    for (size_t size = 0; size <= whole.size(); ++size) {
        writeFileAtomically(path("cut.tlog"), whole.substr(0, size));
        const std::vector<RunEvent> found = readRunEvents(path("cut.tlog"));
        QVERIFY(found.size() >= before && found.size() <= before + 1);
        before = found.size();
        compare(found, {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(before)});
    }
    QCOMPARE(before, events.size());
}

void CompactLogTest::damagedRecordsAreRefusedByTheirNumber_data() {
    QTest::addColumn<QByteArray>("record");
    QTest::newRow("a step of one byte") << QByteArray("\x02S\xff", 3);
    QTest::newRow("a step that ends early") << QByteArray("\x05S\0\0\x02\x02", 6);
    QTest::newRow("a step that is longer") << QByteArray("\x04S\xff\x1f\0", 5);
    QTest::newRow("a field that is not known") << QByteArray("\x03S\xff\x3f", 4);
    QTest::newRow("zero bytes before and after that are more than eight")
        << QByteArray("\x04S\xf7\x1f\x88", 5);
    QTest::newRow("no end of an integer")
        << QByteArray("\x0eS\xfe\x1f", 4) + QByteArray(11, '\xff');
    QTest::newRow("a line that is no JSON") << QByteArray("\x09Jnonsense");
    QTest::newRow("another kind") << QByteArray("\x02Zx");
    QTest::newRow("no kind") << QByteArray("\0", 1);
}

void CompactLogTest::damagedRecordsAreRefusedByTheirNumber() {
    QFETCH(QByteArray, record);
    write(path("damaged.tlog"), steps(2));
    writeFileAtomically(path("damaged.tlog"),
                        readFile(path("damaged.tlog")) + record.toStdString());
    try {
        readRunLog(path("damaged.tlog"));
        QFAIL("it was accepted");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::InvalidInput);
        QVERIFY2(QString(error.what()).contains("damaged.tlog', record 3"), error.what());
    }
}

void CompactLogTest::aContinuedLogKeepsItsForm_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"run.tlog", "run.jsonl"}) QTest::newRow(name) << name;
}

/// After a step in the middle, with a truncated last entry.
void CompactLogTest::aContinuedLogKeepsItsForm() {
    QFETCH(QString, name);
    const fs::path log = path(qPrintable(name));
    write(log, steps(10));
    const std::string whole = readFile(log);
    writeFileAtomically(log, whole.substr(0, whole.size() - 3));
    std::vector<RunEvent> expected = steps(6);
    {
        const auto continued = RunLog::continued(log, 6);
        for (const RunEvent& event : steps(5, 7)) {
            continued->write(event);
            expected.push_back(event);
        }
    }
    compare(readRunEvents(log), expected);
    QCOMPARE(readFile(log).substr(0, 10), whole.substr(0, 10));
}

void CompactLogTest::copiesInTheOtherFormAndBackAreTheSameLines() {
    {
        RunLog log(path("first.jsonl"));
        log.write(RunSettings{"title", "command", {{"a", "b"}}, {}});
        for (const RunEvent& event : steps(100)) log.write(event);
        log.write(RunEvent{9, EndEvent{}});
    }
    copyRunLog(path("first.jsonl"), path("packed.tlog"));
    copyRunLog(path("packed.tlog"), path("again.jsonl"));
    QVERIFY(fs::file_size(path("packed.tlog")) < fs::file_size(path("first.jsonl")) / 4);
    QVERIFY(readFile(path("again.jsonl")) == readFile(path("first.jsonl")));
}

void CompactLogTest::plainStepLinesAreReadAsTheParserReadsThem_data() {
    QTest::addColumn<QString>("line");
    for (const RunEvent& event : steps(3))
        QTest::newRow(qPrintable("step " + QString::number(stepOf(event))))
            << QString::fromStdString(toJsonLine(event));
    QTest::newRow("numbers of all forms")
        << R"({"event":"step","time":0,"step":-3,"epoch":1E+2,"loss":-0.0,"learning_rate":1e-05,)"
           R"("grad_norm":1.7976931348623157e+308,"samples":0,"step_seconds":5e-324,)"
           R"("data_wait_seconds":0.1,"arena_bytes":18})";
    QTest::newRow("without memory, as before")
        << R"({"event":"step","time":1,"step":2,"epoch":3,"loss":4,"learning_rate":5,)"
           R"("grad_norm":6,"samples":7,"step_seconds":8,"data_wait_seconds":9})";
}

void CompactLogTest::plainStepLinesAreReadAsTheParserReadsThem() {
    QFETCH(QString, line);
    const auto found = stepFromPlainLine(line.toStdString());
    QVERIFY(found.has_value());
    compare({*found}, {runEventFromJsonLine(line.toStdString())});
}

void CompactLogTest::otherLinesAreLeftToTheParser_data() {
    QTest::addColumn<QString>("line");
    const QString line = QString::fromStdString(toJsonLine(steps(1)[0]));
    const auto row = [&](const char* name, const char* before, const char* after) {
        QTest::newRow(name) << QString(line).replace(before, after);
    };
    row("another event", "\"step\",\"time\"", "\"epoch\",\"time\"");
    row("no number", "\"samples\":64", "\"samples\":null");
    row("a word for a number", "\"samples\":64", "\"samples\":nan");
    row("a broken integer", "\"samples\":64", "\"samples\":6.5");
    row("a number that is too large", "\"samples\":64", "\"samples\":99999999999999999999");
    row("another field", "\"samples\":64", "\"samples\":64,\"more\":1");
    row("something behind it", "}", "} ");
    QTest::newRow("nothing") << QString();
}

void CompactLogTest::otherLinesAreLeftToTheParser() {
    QFETCH(QString, line);
    QVERIFY(!stepFromPlainLine(line.toStdString()).has_value());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CompactLogTest)
#include "compact_log_test.moc"
