// SPDX-License-Identifier: Apache-2.0
#include <temper/training.h>

#include <cstdio>

/// The samples of a data file in batches, in the order of the module's inputs.
static temper::BatchLoader batchesOf(const char* file, const temper::Module& module,
                                     temper::LoaderOptions options) {
    std::vector<temper::BatchField> fields;
    for (const std::string& input : module.inputNames()) fields.push_back({.column = input});
    return {temper::openData(file).training, fields, options};
}

/// Trains the artifacts in a folder: train_digits ARTIFACTS TRAIN.npz TEST.npz
int main(int argc, char** argv) try {
    if (argc != 4) throw temper::Error(temper::ErrorCode::InvalidInput, "Expected three paths.");
    const std::filesystem::path folder = argv[1];
    const auto paths = temper::ArtifactPaths::inFolder(folder);
    const auto ops = std::make_shared<const temper::OpSet>(temper::standardOps());
    const auto graphs = temper::loadArtifacts(paths, *ops);

    auto state = temper::CheckpointState::load(paths.checkpoint);
    temper::Module module(graphs.trainingModel, graphs.evalModel, state,
                          temper::ExecutionContext::make(ops));
    temper::Optimizer optimizer(graphs.optimizerModel, module);
    optimizer.setLearningRate(1e-2F);

    module.train();
    auto training = batchesOf(argv[2], module, {.batchSize = 64, .seed = 1, .epochs = 5});
    while (const auto batch = training.next()) {
        const double loss = module(batch->tensors).front().toDouble();
        optimizer.step();
        module.lazyResetGrad();
        if (batch->endsEpoch) std::printf("epoch %d: loss %.4f\n", int(batch->epoch) + 1, loss);
    }

    module.eval();
    auto evaluation = batchesOf(argv[3], module, {.batchSize = 64, .shuffle = false});
    double sum = 0, samples = 0;
    while (const auto batch = evaluation.next()) {
        sum += module(batch->tensors).front().toDouble() * double(batch->size);
        samples += double(batch->size);
    }
    std::printf("evaluation: loss %.4f over %.0f samples\n", sum / samples, samples);

    state.setProperty("epochs", int64_t{5});
    state.save(folder / "trained.ckpt", /*includeOptimizerState=*/true);
    module.exportModelForInferencing(folder / "trained.onnx", {"logits"});
} catch (const temper::Error& error) {
    std::fprintf(stderr, "error: %s\n  hint: %s\n", error.what(), error.hint().c_str());
    return 1;
}
