// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/number_checks.h"
#include "app/cli/profile_table.h"
#include "app/cli/session_feeds.h"
#include "app/cli/spec_options.h"
#include "app/cli/timings.h"
#include "app/cli/trace_file.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/session/module.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// Plans are compiled and caches filled before anything is measured.
constexpr int64_t kWarmUpSteps = 3;
constexpr int64_t kMaxProfiledSteps = 20;
constexpr int64_t kMaxTracedSteps = 5;
constexpr double kMegabyte = 1e6;

struct BenchOptions {
    ArtifactOptions artifacts;  ///< its folder may be a model
    SpecOptions spec;
    std::vector<std::string> fixedInputs;
    SessionOptions engine;
    std::string feeds;
    int64_t steps = 50;
    std::string trace;
    bool byNode = false;
    bool json = false;
};

double peakMegabytes() {
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / kMegabyte;
}

class Bench {
public:
    Bench(const BenchOptions& options, CliContext& context) : options_(options), context_(context) {
        if (!options.trace.empty()) trace_.emplace(options.trace);
        open_ = open();
        const Feeds feeds = loadFeedsFor(*open_.session, options.feeds, context);
        inputs_ = feeds.batch(feedInputsOf(*open_.session, true));
    }

    void run() {
        for (int64_t i = 0; i < kWarmUpSteps; ++i) step();
        for (int64_t i = 0; i < options_.steps; ++i) timings_.measure([this] { step(); });
        measureProfile();
        peakMegabytes_ = peakMegabytes();
        peaks_ = measurePeaks(open_.session->context().device->pool());
        if (trace_) trace_->write(profile_);
        const Json document = makeDocument();
        if (options_.json) {
            printJson(context_, document);
        } else {
            print(document);
        }
    }

private:
    bool isFolder() const { return fs::is_directory(options_.artifacts.folder); }

    OpenSession open() const {
        const bool isModel = !options_.artifacts.folder.empty() && !isFolder();
        if (!isModel)
            return openSession(resolveArtifacts(options_.artifacts), options_.engine, context_);
        auto ops = std::make_shared<const OpSet>(standardOps());
        const auto model = loadForwardModel(options_.artifacts.folder, *ops,
                                            parseFixedInputs(options_.fixedInputs));
        widenHalfPrecision(*model, ops->catalog);
        replaceNodes(*model, ops->catalog, options_.spec.replace);
        return openSession(generateArtifacts(*model, *ops, options_.spec.spec()), ops,
                           options_.engine);
    }

    void step() {
        open_.session->trainStep(inputs_);
        if (open_.session->artifacts().optimizerModel != nullptr) open_.session->optimizerStep();
        open_.session->lazyResetGrad();
    }

    /// Separate from the timed steps, as reading the clock takes time, too.
    void measureProfile() {
        profiledSteps_ = std::clamp<int64_t>(options_.steps, 1, kMaxProfiledSteps);
        open_.session->setProfile(&profile_);
        for (int64_t i = 0; i < profiledSteps_; ++i) {
            const bool isTraced = trace_.has_value() && i < kMaxTracedSteps;
            profile_.keepTimeline(isTraced);
            const Profile::Clock::time_point begin = Profile::Clock::now();
            step();
            if (!isTraced) continue;
            profile_.addSpan({"step " + std::to_string(i + 1), begin, Profile::Clock::now()});
        }
        open_.session->setProfile(nullptr);
    }

    int64_t batchSize() const {
        return inputs_.empty() || inputs_[0].rank() == 0 ? 1 : inputs_[0].shape()[0];
    }

    Json makeDocument() const {
        const MemoryUse memory = open_.session->memoryUse();
        KernelCost total;
        for (const Profile::Step& step : profile_.steps()) total += step.cost;
        Json document{{"model", fs::path(options_.artifacts.folder).filename().string()},
                      {"threads", threads()},
                      {"batch", batchSize()},
                      {"steps", options_.steps},
                      {"median_ms", medianMilliseconds()},
                      {"p10_ms", timings_.quantile(0.1)},
                      {"p90_ms", timings_.quantile(0.9)},
                      {"forward_ms", phaseMilliseconds("forward")},
                      {"backward_ms", phaseMilliseconds("backward")},
                      {"optimizer_ms", phaseMilliseconds("optimizer")},
                      {"peak_rss_mb", peakMegabytes_},
                      {"arena_mb", static_cast<double>(memory.arenaBytes) / kMegabyte},
                      {"activation_mb", static_cast<double>(memory.activationBytes) / kMegabyte},
                      {"flops", total.flops / profiledSteps_},
                      {"bytes", total.bytes / profiledSteps_},
                      {"roofline", roofline()},
                      {"operators", toJson(rows(CostGrouping::ByOperator), profiledSteps_)}};
        if (options_.byNode) {
            document["nodes"] = toJson(rows(CostGrouping::ByNode), profiledSteps_);
        }
        return document;
    }

    /// The machine's peaks, the resulting minimum time of a step, and its share of the measured
    /// time.
    Json roofline() const {
        double seconds = 0;
        for (const CostRow& row : rows(CostGrouping::ByOperator)) seconds += row.leastSeconds;
        const double bound = seconds * 1000 / static_cast<double>(profiledSteps_);
        return {{"gflops", peaks_.flopsPerSecond / 1e9},
                {"gbytes", peaks_.bytesPerSecond / 1e9},
                {"share", bound / medianMilliseconds()},
                {"bound_ms", bound}};
    }

    std::vector<CostRow> rows(CostGrouping grouping) const {
        return costRows(profile_, peaks_, grouping);
    }

    double medianMilliseconds() const { return timings_.quantile(0.5); }

    double phaseMilliseconds(const std::string& phase) const {
        return profile_.secondsOf(phase) * 1000 / static_cast<double>(profiledSteps_);
    }

    int threads() const {
        return options_.engine.threads > 0 ? options_.engine.threads : ThreadPool(0).threads();
    }

    void print(const Json& document) const {
        std::vector<std::vector<std::string>> rows;
        addRows(document, "", rows);
        printTable(context_.out, rows);
        context_.out << '\n';
        const auto grouping = options_.byNode ? CostGrouping::ByNode : CostGrouping::ByOperator;
        printCosts(context_.out, this->rows(grouping), profiledSteps_);
    }

    /// Adds a row for each value; rows of an object start with its name.
    static void addRows(const Json& values, const std::string& prefix,
                        std::vector<std::vector<std::string>>& rows) {
        for (const auto& item : values.items()) {
            const Json& value = item.value();
            const std::string name = prefix + item.key();
            if (value.is_array()) continue;
            if (value.is_object()) {
                addRows(value, name + "_", rows);
            } else {
                rows.push_back({name, value.is_string() ? value.get<std::string>()
                                                        : formatNumber(value.get<double>())});
            }
        }
    }

    const BenchOptions& options_;
    CliContext& context_;
    std::optional<TraceFile> trace_;
    OpenSession open_;
    std::vector<Tensor> inputs_;
    Timings timings_;
    Profile profile_;
    int64_t profiledSteps_ = 1;
    double peakMegabytes_ = 0;  ///< before the peaks are measured, which also takes memory
    MachinePeaks peaks_;
};

}  // namespace

void addBenchCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("bench", "Time training steps of a model or artifacts");
    const auto options = std::make_shared<BenchOptions>();
    addArtifactOptions(*command, options->artifacts, "MODEL|DIR", "Model, or folder of artifacts");
    options->spec.addTo(*command);
    options->spec.addGradientChoicesTo(*command);
    addFixInputOption(*command, options->fixedInputs);
    addSessionOptions(*command, options->engine);
    command->add_option("--feeds", options->feeds, "Inputs and target: .npz or folder of .npy")
        ->type_name("FILE")
        ->required();
    command->add_option("--steps", options->steps, "Steps to time")
        ->check(positive())
        ->capture_default_str();
    command
        ->add_option("--trace", options->trace,
                     "Write a Chrome trace of some steps (.json), for chrome://tracing or Perfetto")
        ->type_name("FILE");
    command->add_flag("--by-node", options->byNode,
                      "Print time per node, the slowest 40, instead of time per operator");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { Bench(*options, context).run(); });
}

}  // namespace temper::cli
