// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/ort_record.h"

#include <QTemporaryDir>
#include <algorithm>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "tests/support/oracle.h"

namespace temper::test {
namespace {

std::string key(const GradientCase& oneCase, const std::string& output) {
    return std::string(oneCase.name) + "/" + output;
}

}  // namespace

Results ortResults(const OpCase& opCase) {
    const QTemporaryDir folder;
    const std::unique_ptr<Graph> graph = graphOf(opCase);
    const QString model = folder.filePath("model.onnx"), feeds = folder.filePath("feeds.npz"),
                  out = folder.filePath("out.npz");
    saveModel(*graph, model.toStdString());
    std::map<std::string, Tensor> arrays;
    for (const Value* input : graph->inputs()) {
        arrays[input->name()] = opCase.feeds.at(input->name()).tensors.front();
    }
    writeNpz(feeds.toStdString(), arrays);
    const OracleResult result =
        runOracle("infer.py", {"--model", model, "--feeds", feeds, "--out", out});
    if (!result.succeeded()) throw Error(ErrorCode::Internal, result.log.toStdString());
    return readNpz(out.toStdString());
}

void recordOrt(const std::vector<GradientCase>& cases, const std::filesystem::path& file) {
    std::map<std::string, Tensor> record;
    for (const GradientCase& oneCase : cases) {
        try {
            for (const auto& [name, tensor] : ortResults(oneCase.opCase)) {
                record[key(oneCase, name)] = tensor;
            }
        } catch (const Error& error) {
            qWarning("'%s' is not recorded: %s", oneCase.name, error.what());
        }
    }
    std::filesystem::create_directories(file.parent_path());
    writeNpz(file, record);
}

QString differenceFromOrt(const GradientCase& oneCase, const std::filesystem::path& file,
                          const Tolerance& tolerance) {
    static const std::map<std::string, Tensor> kRecord = readNpz(file);
    for (const auto& [name, tensor] : runOp(oneCase.opCase)) {
        const auto expected = kRecord.find(key(oneCase, name));
        if (expected == kRecord.end()) return "there is no record of '" + QString(name.c_str());
        const std::string problem = difference(tensor, expected->second, tolerance);
        if (!problem.empty()) return QString::fromStdString(name + ": " + problem);
    }
    return {};
}

}  // namespace temper::test
