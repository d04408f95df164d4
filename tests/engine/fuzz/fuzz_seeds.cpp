// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/core/file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/jobs/job_request.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/ort_model.h"
#include "engine/runs/log_entries.h"
#include "engine/runs/run_event.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/fuzz/fuzz_targets.h"
#include "tests/engine/fuzz/journey_target.h"

namespace temper::test {
namespace {

namespace fs = std::filesystem;
using Seeds = std::vector<std::string>;

constexpr uintmax_t kLargestSeed = 20'000;  // larger ones make a fuzzer slow

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The small files below a folder of the source tree with this ending.
Seeds filesOf(const char* folder, const std::vector<std::string>& extensions) {
    Seeds seeds;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(TEMPER_SOURCE_DIR) / folder)) {
        const bool isWanted = std::find(extensions.begin(), extensions.end(),
                                        entry.path().extension().string()) != extensions.end();
        if (isWanted && entry.file_size() <= kLargestSeed) seeds.push_back(contentOf(entry.path()));
    }
    return seeds;
}

Seeds modelTexts() {
    const std::string header =
        "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n";
    Seeds texts = {
        "mlp (float[N, 4] x) => (float[N, 3] y) <float[4, 3] w = {1,2,3,4,5,6,7,8,9,10,11,12},"
        "  float[3] b = {0, 0.5, -1}> { h = MatMul(x, w) s = Add(h, b) y = Softmax<axis = 1>(s) }",
        "branch (float[N] x, bool c) => (float[N] y) { y = If(c) <"
        "  then_branch = t () => (float[N] a) { a = Relu(x) },"
        "  else_branch = e () => (float[N] b) { b = Neg(x) }> }",
        "values (float[2] x) => (float[2] y) { k = Constant<value = float[2] {1.5, -2.0}>()"
        "  y = own.Many<name = \"a\", list = [1, 2], f = 0.1, ss = [\"p\", \"q\"]>(x) }",
    };
    for (std::string& text : texts) text.insert(0, header);
    texts.push_back(
        "<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]>\n"
        "call (float[N] x) => (float[N] y) { y = own.Twice(x) }\n"
        "<domain: \"own\", opset_import: [\"\" : 17]> Twice (a) => (b) { b = Add(a, a) }");
    return texts;
}

Seeds models() {
    Seeds seeds = filesOf("resources/lessons", {".onnx"});
    for (const std::string& text : modelTexts()) seeds.push_back(serializeModel(*parseText(text)));
    return seeds;
}

Seeds ortModels() {
    const OpSet ops = standardOps();
    Seeds seeds;
    for (const std::string& model : filesOf("resources/lessons", {".onnx"})) {
        const auto graph = parseModel(std::as_bytes(std::span(model)), "lesson");
        inferTypes(*graph, ops.catalog);  // the format needs all types
        seeds.push_back(serializeOrtModel(*graph));
    }
    return seeds;
}

Seeds checkpoints() {
    CheckpointFile file;
    file.trainable = {{"w", Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                      {"b", Tensor::of<float>({2}, {0, 1})}};
    file.frozen = {{"steps", Tensor::of<int64_t>({1}, {7})}};
    file.properties = {{"epoch", int64_t{3}}, {"loss", 0.5F}, {"note", std::string("a note")}};
    const std::string plain = serializeCheckpoint(file);
    file.optimizerGroups = {
        {"group0",
         5,
         1e-3F,
         {{"w", {{"momentum0", file.trainable[0].data}, {"momentum1", file.trainable[0].data}}}}}};
    const std::string withState = serializeCheckpoint(file);
    return {plain, withState, serializeCheckpoint({})};
}

Seeds arrays() {
    return {formatNpy(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})),
            formatNpy(Tensor::of<int64_t>({}, {42})),
            formatNpy(Tensor::of<bool>({3}, {true, false, true})),
            formatNpy(Tensor::of<uint8_t>({0, 5}, {})),
            formatNpy(Tensor::of<double>({1}, {1e300}))};
}

Seeds archives() { return filesOf("resources/lessons", {".npz"}); }

Seeds idxFiles() {
    using namespace std::string_literals;
    return {"\0\0\x08\x01\0\0\0\x04\1\2\3\4"s,
            "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02"s + std::string(8, '\x7f'),
            "\0\0\x0d\x01\0\0\0\x01\x3f\x80\0\0"s,
            "\0\0\x0e\x02\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\0"s};
}

Seeds tables() {
    Seeds seeds = filesOf("resources/lessons", {".csv"});
    seeds.push_back("a;b;\"c \"\"d\"\"\"\r\n1,5;4;x\r\n2,5;3;y\r\n");
    seeds.push_back("\xef\xbb\xbfx,y\n1,2\n3,5\n0.5,4\n");
    return seeds;
}

std::string gzipped(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

Seeds gzipFiles() {
    Seeds seeds;
    for (const std::string& table : tables()) seeds.push_back(gzipped(table));
    return seeds;
}

TrainingSpec fullSpec() {
    TrainingSpec spec;
    spec.model = "/project/model.onnx";
    spec.headClasses = 7;
    spec.artifacts.trainable = {"fc.*"};
    spec.artifacts.frozen = {"conv*.weight"};
    spec.artifacts.lossInputs = {"logits", "labels"};
    spec.artifacts.parameterGroups = {{"*.bias", 2, 0.0}};
    spec.artifacts.straightThrough = {"Round"};
    spec.run.data = "/project/train.csv";
    spec.run.binding = {{"x", "a,b,c"}};
    spec.run.metrics = {"accuracy"};
    spec.run.session.recompute = {"gelu"};
    return spec;
}

std::vector<RunFact> facts() {
    return {StartedEvent{},
            StepEvent{.step = 3, .loss = 0.5},
            EpochEvent{.epoch = 1},
            EvalEvent{.metrics = {{"accuracy", 0.5}}},
            CheckpointEvent{1, "best", "a/b"},
            CheckpointRemovedEvent{1, "a/b"},
            WarningEvent{1, "text", "hint"},
            PausedEvent{1},
            ResumedEvent{1},
            LearningRateEvent{1, 0.1, false},
            RolledBackEvent{1, 2},
            LayersEvent{.layers = std::make_shared<std::vector<LayerStatistics>>(1)},
            EndEvent{.message = "why", .node = "n", .code = "R001", .goodStep = 4}};
}

Seeds events() {
    Seeds lines;
    for (const RunFact& fact : facts()) lines.push_back(toJsonLine({1.5, fact}));
    return lines;
}

Seeds logs() {
    Seeds logs;
    for (const LogForm form : {LogForm::Lines, LogForm::Compact}) {
        LogEncoder encoder(form);
        std::string log(encoder.start());
        log += encoder.encode(RunSettings{"title", "command", {{"a", "b"}}, {}});
        for (const RunFact& fact : facts()) log += encoder.encode(RunEvent{1.5, fact});
        log += encoder.encode(RunEvent{2, StepEvent{.step = 4, .epoch = 0.1, .loss = 0.25}});
        logs.push_back(std::move(log));
    }
    return logs;
}

Seeds requests() {
    using Kind = JobRequest::Kind;
    return {toJson(JobRequest{.kind = Kind::StopAfterEpoch}),
            toJson(JobRequest{.kind = Kind::Rate, .value = 0.01}),
            toJson(JobRequest{.kind = Kind::Pace, .value = 0}),
            toJson(JobRequest{.kind = Kind::Checkpoint, .name = "step-7.ckpt"})};
}

Seeds projectArchives() {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("temper-seed-" + std::to_string(getpid()));
    PackOptions options;
    options.texts = {{"view.json", "{}"}, {"model/a b.txt", std::string(300, 'a')}};
    TrainingSpec spec = fullSpec();
    spec.model = "lesson:iris/model.onnx";
    packProject({spec, {}}, {}, path, options);
    Seeds seeds{readFile(path)};
    std::filesystem::remove(path);
    return seeds;
}

/// A WAV file with an empty chunk and four zeros of `bits` bits, in two channels; kind 1: integers,
/// 3: floats.
std::string sound(uint16_t kind, uint16_t bits) {
    const auto raw = []<typename T>(T number) {
        return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const auto bytes = static_cast<uint16_t>(2 * bits / 8);
    const std::string format = raw(kind) + raw(uint16_t{2}) + raw(uint32_t{8000}) +
                               raw(uint32_t{8000} * bytes) + raw(bytes) + raw(bits);
    const std::string chunks = "WAVELIST" + raw(uint32_t{0}) + "fmt " + raw(uint32_t{16}) + format +
                               "data" + raw(uint32_t{2} * bytes) + std::string(2 * bytes, '\0');
    return "RIFF" + raw(static_cast<uint32_t>(chunks.size())) + chunks;
}

}  // namespace

std::map<std::string, std::vector<std::string>> fuzzSeeds() {
    ProjectFile project{fullSpec(), {{"page", "train"}}};
    return {
        {"model", models()},
        {"ort-model", ortModels()},
        {"model-text", modelTexts()},
        {"checkpoint", checkpoints()},
        {"npy", arrays()},
        {"npz", archives()},
        {"idx", idxFiles()},
        {"csv", tables()},
        {"tsv", {"a\tb\n1\t2\n3\t4\n", "x\t\"y z\"\n0.5\tno\n"}},
        {"json-lines",
         {"{\"a\": 1, \"b\": [1, 2.5]}\n{\"a\": 2, \"b\": [3, 4]}\n",
          "{\"x\": \"a\", \"y\": 1}\n{\"x\": \"b\", \"y\": 2}\n"}},
        {"gzip", gzipFiles()},
        {"picture",
         filesOf("tests/engine/data/pictures", {".png", ".jpg", ".jpeg", ".webp", ".bmp"})},
        {"wav", {sound(1, 8), sound(1, 16), sound(1, 24), sound(3, 32), sound(3, 64)}},
        {"data-spec",
         {"data.csv?target=a&split=0.8", "csv:a b.csv?header=no&normalize=standard",
          "images:a folder?size=28x28&channels=1", "npz:x.npz"}},
        {"loss",
         {"0.4*mse(out1, target1) + 0.6*l1(out2, target2, reduction=sum)",
          "-(cross_entropy(y, weight=[1, 2.5e-3]) / 2) + l2('a b')"}},
        {"expression",
         {"^layer[1-4]\\.(conv|bn)+.*(weight|bias)$", "a{2,3}?b*|[[:alpha:]]+", "(?:x)(?i)y\\bz"}},
        {"training-spec", {toJson(TrainingSpec{}), toJson(fullSpec())}},
        {"project", {toJson(project, "/project")}},
        {"project-archive", projectArchives()},
        {"run-event", events()},
        {"run-log", logs()},
        {"model-journey", journeySeeds()},
        {"job-request", requests()},
        {"pipeline-cuts", {"12", "1393:407-1463/1585,2369", "hidden-Add-1/Mul:mask"}},
    };
}

}  // namespace temper::test
