// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/profile.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/chrome_trace.h"
#include "engine/runtime/cpu/machine_peaks.h"
#include "engine/runtime/graph_runner.h"

namespace temper::test {

using namespace std::chrono_literals;

/// The costs of plan steps, their trace, and the peaks that they are compared with.
class ProfileTest : public QObject {
    Q_OBJECT

private slots:
    void costsFollowFromTheShapes_data();
    void costsFollowFromTheShapes();
    void runsAndShapesAddUp();
    void withoutAProfileNothingIsAdded();
    void timelinesAreKeptOnRequest();
    void waitsAreNotPartOfACall();
    void tracesAreJsonInOrderOfTime();
    void tracesOfNothingAreJson();
    void namesAreBetweenQuotes_data();
    void namesAreBetweenQuotes();
    void theLeastTimeIsThatOfTheNarrowerWay_data();
    void theLeastTimeIsThatOfTheNarrowerWay();
    void peaksAreMeasured();

private:
    GraphRunner runner(const std::string& text) {
        return {std::shared_ptr<const Graph>(parseText(
                    "<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> g " + text)),
                ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool_};
    }

    OpSet ops_ = standardOps();
    ThreadPool pool_{2};
};

std::vector<QJsonObject> eventsOf(const Profile& profile) {
    QJsonParseError error{};
    const auto document =
        QJsonDocument::fromJson(QByteArray::fromStdString(chromeTrace(profile)), &error);
    if (error.error != QJsonParseError::NoError) return {};
    std::vector<QJsonObject> events;
    for (const QJsonValue& event : document["traceEvents"].toArray()) {
        events.push_back(event.toObject());
    }
    return events;
}

void ProfileTest::costsFollowFromTheShapes_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("op");
    QTest::addColumn<qint64>("flops");
    QTest::addColumn<qint64>("bytes");
    const auto row = [](const char* name, const char* graph, const char* op, qint64 flops,
                        qint64 bytes) { QTest::newRow(name) << graph << op << flops << bytes; };
    row("a product", "(float[2,3] a, float[3,4] b) => (c) { c = MatMul(a, b) }", "MatMul", 48,
        (6 + 12 + 8) * 4);
    row("elementwise", "(float[100] a) => (c) { c = Relu(a) }", "Relu", 0, 800);
    row("one array read twice", "(float[100] a) => (c) { c = Mul(a, a) }", "Mul", 0, 800);
    row("another type", "(float[100] a) => (c) { c = Cast<to = 9>(a) }", "Cast", 0, 500);
    row("a view is no step", "(float[100] a) => (c) { b = Unsqueeze(a, i)  c = Relu(b) }", "Relu",
        0, 800);
    row("fused steps", "(float[100] a) => (c) { b = Exp(a)  c = Neg(b) }", "Exp+Neg", 0, 800);
    row("changed in place",
        "(float[100] a, float[100] b) => (c) { c = com.microsoft.InPlaceAccumulatorV2(a, b) }",
        "com.microsoft.InPlaceAccumulatorV2", 0, 1200 + 1);
}

void ProfileTest::costsFollowFromTheShapes() {
    QFETCH(QString, graph);
    const auto parsed =
        parseText("<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> g " +
                  graph.replace(") => ", ", int64[1] i) => ").toStdString());
    parsed->inputToInitializer(parsed->at("i"), Tensor::of<int64_t>({1}, {0}));
    std::vector<Tensor> feeds;
    for (const Value* input : parsed->inputs()) {
        feeds.emplace_back(DType::Float32, *concreteShape(*input->type().shape));
    }
    GraphRunner run(std::shared_ptr<const Graph>(parsed->clone()), ops_.catalog, ops_.cpuKernels,
                    std::make_shared<Arena>(), pool_);
    Profile profile;
    run.setProfile(&profile);
    run.run(feeds);
    QCOMPARE(profile.steps().size(), size_t{1});
    const Profile::Step& step = profile.steps().front();
    QTEST(QString::fromStdString(step.op), "op");
    QCOMPARE(step.phase, std::string("forward"));
    QCOMPARE(step.cost.count, int64_t{1});
    QVERIFY(step.cost.seconds > 0);
    QTEST(qint64{step.cost.flops}, "flops");
    QTEST(qint64{step.cost.bytes}, "bytes");
}

void ProfileTest::runsAndShapesAddUp() {
    GraphRunner run = runner("(float[N,3] a, float[3,4] b) => (c) { [product] c = MatMul(a, b) }");
    Profile profile;
    run.setProfile(&profile);
    const Tensor b(DType::Float32, {3, 4});
    for (const int64_t rows : {2, 2, 5}) {
        run.run(std::vector<Tensor>{Tensor(DType::Float32, {rows, 3}), b});
    }
    QCOMPARE(profile.steps().size(), size_t{1});
    const KernelCost& cost = profile.steps().front().cost;
    QCOMPARE(cost.count, int64_t{3});
    QCOMPARE(cost.flops, int64_t{(2 + 2 + 5) * 24});
    QCOMPARE(cost.bytes, int64_t{((2 + 2 + 5) * (3 + 4) + 3 * 12) * 4});
    QCOMPARE(profile.secondsOf("forward"), cost.seconds);
    QCOMPARE(profile.secondsOf("backward"), 0.0);
}

void ProfileTest::withoutAProfileNothingIsAdded() {
    GraphRunner run = runner("(float[4] a) => (c) { c = Relu(a) }");
    const std::vector<Tensor> feeds{Tensor(DType::Float32, {4})};
    Profile profile;
    run.setProfile(&profile);
    run.run(feeds);
    run.setProfile(nullptr);
    run.run(feeds);
    QCOMPARE(profile.steps().front().cost.count, int64_t{1});
}

void ProfileTest::timelinesAreKeptOnRequest() {
    Profile profile;
    const Profile::Clock::time_point now;
    const size_t step = profile.addStep("forward", "Relu", "node 'r' (Relu)");
    profile.addCall({step, now, now + 1ms, 0, 0});
    QVERIFY(profile.timeline().empty());
    profile.keepTimeline(true);
    profile.addCall({step, now, now + 1ms, 0, 0});
    QCOMPARE(profile.timeline().size(), size_t{1});
    QCOMPARE(profile.steps()[step].cost.seconds, 0.002);
}

void ProfileTest::waitsAreNotPartOfACall() {
    Profile profile;
    profile.keepTimeline(true);
    const Profile::Clock::time_point now;
    const size_t step = profile.addStep("forward", "Relu", "node 'r' (Relu)");
    profile.addWait(3ms);
    profile.addWait(1ms);
    profile.addCall({step, now, now + 5ms, 0, 0});
    QCOMPARE(profile.steps()[step].cost.seconds, 0.001);
    QVERIFY(profile.timeline().back().begin == now + 4ms);
    profile.addCall({step, now, now + 1ms, 0, 0});
    QCOMPARE(profile.steps()[step].cost.seconds, 0.002);
}

/// Two training steps of two calls each; one name needs every kind of escape.
void ProfileTest::tracesAreJsonInOrderOfTime() {
    const std::string bad = "a \"quoted\" \\ name\n\twith \x01 in it, ü";
    Profile profile;
    profile.keepTimeline(true);
    const size_t first = profile.addStep("forward", "MatMul", "node '" + bad + "' (MatMul)");
    const size_t second = profile.addStep("optimizer", "AdamW", "node 'update' (AdamW)");
    const Profile::Clock::time_point start = Profile::Clock::now();
    for (const auto at : {0us, 100us}) {
        profile.addCall({first, start + at + 1us, start + at + 2001ns, 48, 104});
        profile.addCall({second, start + at + 2001ns, start + at + 50us, 0, 12});
        profile.addSpan({"step", start + at, start + at + 60us});
    }
    const std::vector<QJsonObject> events = eventsOf(profile);
    QCOMPARE(events.size(), size_t{2 + 6});
    QCOMPARE(events[0]["ph"].toString(), QString("M"));
    QCOMPARE(events[1]["args"]["name"].toString(), QString("training"));
    double last = 0, spanEnd = 0;
    for (size_t i = 2; i < events.size(); ++i) {
        const QJsonObject& event = events[i];
        QCOMPARE(event["ph"].toString(), QString("X"));
        const double begin = event["ts"].toDouble(), end = begin + event["dur"].toDouble();
        QVERIFY(begin >= last);
        last = begin;
        if (event["cat"].toString() == "step") spanEnd = end;
        QVERIFY(end <= spanEnd);
    }
    QCOMPARE(events[3]["name"].toString(), QString::fromStdString(bad));
    QCOMPARE(events[3]["ts"].toDouble(), 1.0);
    QCOMPARE(events[3]["dur"].toDouble(), 1.001);
    QCOMPARE(events[3]["args"]["op"].toString(), QString("MatMul"));
    QCOMPARE(events[3]["args"]["flops"].toInt(), 48);
    QCOMPARE(events[3]["args"]["bytes"].toInt(), 104);
    QCOMPARE(events[4]["cat"].toString(), QString("optimizer"));
}

void ProfileTest::tracesOfNothingAreJson() { QCOMPARE(eventsOf({}).size(), size_t{2}); }

void ProfileTest::namesAreBetweenQuotes_data() {
    QTest::addColumn<QString>("description");
    QTest::addColumn<QString>("name");
    QTest::newRow("a name") << "node '/stem/conv' (Conv)"
                            << "/stem/conv";
    QTest::newRow("quotes inside") << "node 'it's' (Conv)"
                                   << "it's";
    QTest::newRow("its output") << "the Conv node of 'y'"
                                << "y";
    QTest::newRow("none") << "an unnamed Conv node"
                          << "an unnamed Conv node";
}

void ProfileTest::namesAreBetweenQuotes() {
    QFETCH(QString, description);
    const Profile::Step step{"forward", "Conv", description.toStdString(), {}};
    QTEST(QString::fromStdString(step.nodeName()), "name");
}

void ProfileTest::theLeastTimeIsThatOfTheNarrowerWay_data() {
    QTest::addColumn<qint64>("flops");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<double>("seconds");
    QTest::newRow("arithmetic") << qint64{400} << qint64{10} << 4.0;
    QTest::newRow("memory") << qint64{100} << qint64{50} << 5.0;
    QTest::newRow("memory alone") << qint64{0} << qint64{50} << 5.0;
    QTest::newRow("nothing") << qint64{0} << qint64{0} << 0.0;
}

void ProfileTest::theLeastTimeIsThatOfTheNarrowerWay() {
    QFETCH(qint64, flops);
    QFETCH(qint64, bytes);
    const MachinePeaks peaks{.flopsPerSecond = 100, .bytesPerSecond = 10};
    QTEST(peaks.leastSeconds(flops, bytes), "seconds");
}

void ProfileTest::peaksAreMeasured() {
    const MachinePeaks peaks = measurePeaks(pool_);
    QVERIFY(peaks.flopsPerSecond > 1e7 && peaks.flopsPerSecond < 1e15);
    QVERIFY(peaks.bytesPerSecond > 1e7 && peaks.bytesPerSecond < 1e15);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ProfileTest)
#include "profile_test.moc"
