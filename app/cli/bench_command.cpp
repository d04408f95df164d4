// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/number_checks.h"
#include "app/cli/session_feeds.h"
#include "app/cli/spec_options.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// Plans are compiled and caches filled before anything is measured.
constexpr int64_t kWarmUpSteps = 3;
constexpr int64_t kMaxProfiledSteps = 20;
constexpr double kMegabyte = 1e6;

struct BenchOptions {
    ArtifactOptions artifacts;  ///< its folder may be a model
    SpecOptions spec;
    EngineOptions engine;
    std::string feeds;
    int64_t steps = 50;
    bool json = false;
};

/// The value below which `share` of the sorted values lie, interpolated.
double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    const double fraction = position - std::floor(position);
    return sorted[below] * (1 - fraction) + sorted[above] * fraction;
}

double peakMegabytes() {
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / kMegabyte;
}

double millisecondsOf(const Profile& profile, const std::string& phase, int64_t steps) {
    const auto found = profile.phases.find(phase);
    if (found == profile.phases.end()) return 0;
    double seconds = 0;
    for (const auto& [op, entry] : found->second) seconds += entry.seconds;
    return seconds * 1000 / static_cast<double>(steps);
}

/// Time per operator over all phases, the slowest first.
std::vector<std::pair<std::string, Profile::Entry>> byOperator(const Profile& profile) {
    std::map<std::string, Profile::Entry> totals;
    for (const auto& [phase, operators] : profile.phases) {
        for (const auto& [op, entry] : operators) {
            totals[op].count += entry.count;
            totals[op].seconds += entry.seconds;
            totals[op].flops += entry.flops;
        }
    }
    std::vector<std::pair<std::string, Profile::Entry>> list(totals.begin(), totals.end());
    std::ranges::stable_sort(list, std::greater<>(),
                             [](const auto& item) { return item.second.seconds; });
    return list;
}

class Bench {
public:
    Bench(const BenchOptions& options, CliContext& context)
        : options_(options), context_(context), open_(open()) {
        const Feeds feeds = Feeds::load(options.feeds);
        const std::vector<FeedInput> inputs = feedInputsOf(*open_.session, true);
        feeds.requireOnly(allFeedInputsOf(*open_.session));
        inputs_ = feeds.batch(inputs);
    }

    void run() {
        for (int64_t i = 0; i < kWarmUpSteps; ++i) step();
        for (int64_t i = 0; i < options_.steps; ++i) milliseconds_.push_back(timedStep());
        std::ranges::sort(milliseconds_);
        measureProfile();
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
        if (!isModel) return openSession(resolveArtifacts(options_.artifacts), options_.engine);
        auto ops = std::make_shared<const OpSet>(standardOps());
        const auto model = loadForwardModel(options_.artifacts.folder, *ops);
        return openSession(generateArtifacts(*model, *ops, options_.spec.spec()), ops,
                           options_.engine);
    }

    void step() {
        open_.session->trainStep(inputs_);
        if (open_.session->artifacts().optimizerModel != nullptr) open_.session->optimizerStep();
        open_.session->lazyResetGrad();
    }

    double timedStep() {
        const auto start = std::chrono::steady_clock::now();
        step();
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - start;
        return taken.count();
    }

    /// Apart from the timed steps, as looking at the clock takes time, too.
    void measureProfile() {
        profiledSteps_ = std::clamp<int64_t>(options_.steps, 1, kMaxProfiledSteps);
        open_.session->setProfile(&profile_);
        for (int64_t i = 0; i < profiledSteps_; ++i) step();
        open_.session->setProfile(nullptr);
    }

    int64_t batchSize() const {
        return inputs_.empty() || inputs_[0].rank() == 0 ? 1 : inputs_[0].shape()[0];
    }

    Json makeDocument() const {
        const MemoryUse memory = open_.session->memoryUse();
        Json operators = Json::array();
        int64_t flops = 0;
        double total = 0;
        for (const auto& [op, entry] : byOperator(profile_)) total += entry.seconds;
        for (const auto& [op, entry] : byOperator(profile_)) {
            flops += entry.flops;
            operators.push_back({{"op", op},
                                 {"count", entry.count / profiledSteps_},
                                 {"ms", entry.seconds * 1000 / static_cast<double>(profiledSteps_)},
                                 {"share", total > 0 ? entry.seconds / total : 0}});
        }
        return {{"model", fs::path(options_.artifacts.folder).filename().string()},
                {"threads", threads()},
                {"batch", batchSize()},
                {"steps", options_.steps},
                {"median_ms", quantile(milliseconds_, 0.5)},
                {"p10_ms", quantile(milliseconds_, 0.1)},
                {"p90_ms", quantile(milliseconds_, 0.9)},
                {"forward_ms", millisecondsOf(profile_, "forward", profiledSteps_)},
                {"backward_ms", millisecondsOf(profile_, "backward", profiledSteps_)},
                {"optimizer_ms", millisecondsOf(profile_, "optimizer", profiledSteps_)},
                {"peak_rss_mb", peakMegabytes()},
                {"arena_mb", static_cast<double>(memory.arenaBytes) / kMegabyte},
                {"activation_mb", static_cast<double>(memory.activationBytes) / kMegabyte},
                {"flops", flops / profiledSteps_},
                {"operators", std::move(operators)}};
    }

    int threads() const {
        return options_.engine.threads > 0 ? options_.engine.threads : ThreadPool(0).threads();
    }

    void print(const Json& document) const {
        std::vector<std::vector<std::string>> rows;
        for (const auto& item : document.items()) {
            if (item.key() == "operators") continue;
            const bool isText = item.value().is_string();
            rows.push_back({item.key(), isText ? item.value().get<std::string>()
                                               : formatNumber(item.value().get<double>())});
        }
        printTable(context_.out, rows);
        context_.out << '\n';
        rows = {{"operator", "count", "ms", "share"}};
        for (const Json& op : document["operators"]) {
            rows.push_back({op["op"].get<std::string>(), op["count"].dump(),
                            formatNumber(op["ms"].get<double>()),
                            formatNumber(op["share"].get<double>() * 100) + " %"});
        }
        printTable(context_.out, rows, {1, 2, 3});
    }

    const BenchOptions& options_;
    CliContext& context_;
    OpenSession open_;
    std::vector<Tensor> inputs_;
    std::vector<double> milliseconds_;
    Profile profile_;
    int64_t profiledSteps_ = 1;
};

}  // namespace

void addBenchCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("bench", "Time training steps of a model or artifacts");
    const auto options = std::make_shared<BenchOptions>();
    addArtifactOptions(*command, options->artifacts, "MODEL|DIR", "Model, or folder of artifacts");
    options->spec.addTo(*command);
    options->spec.addGradientChoicesTo(*command);
    addEngineOptions(*command, options->engine);
    command->add_option("--feeds", options->feeds, "Inputs and target: .npz or folder of .npy")
        ->type_name("FILE")
        ->required();
    command->add_option("--steps", options->steps, "Steps to time")
        ->check(positive())
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { Bench(*options, context).run(); });
}

}  // namespace temper::cli
