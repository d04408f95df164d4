// SPDX-License-Identifier: Apache-2.0
#include <temper/training.h>

#include <cstdio>

/// Trains the artifacts in a folder: train_digits ARTIFACTS TRAIN.npz TEST.npz
int main(int argc, char** argv) try {
    if (argc != 4) throw temper::Error(temper::ErrorCode::InvalidInput, "Expected three paths.");
    const std::filesystem::path folder = argv[1];
    const temper::ArtifactPaths paths = temper::ArtifactPaths::inFolder(folder);
    const auto ops = std::make_shared<const temper::OpSet>(temper::standardOps());

    // the parameters, and the graphs that train them
    auto state =
        std::make_shared<temper::CheckpointState>(temper::CheckpointState::load(paths.checkpoint));
    temper::TrainingSession session(temper::loadArtifacts(paths, *ops), state, ops);
    session.setLearningRate(1e-2F);

    // samples in batches, in the order of the model's inputs
    const temper::OpenedData data = temper::openData(argv[2], argv[3]);
    const auto binding = temper::proposeBinding(session, *data.training, {}).binding;
    temper::BatchLoader loader(data.training,
                               temper::batchFields(session, *data.training, binding, true),
                               {.batchSize = 64, .seed = 1, .epochs = 5});
    while (const auto batch = loader.next()) {
        const float loss = session.trainStep(batch->tensors).front().values<float>()[0];
        session.optimizerStep();
        session.lazyResetGrad();
        if (batch->endsEpoch) std::printf("epoch %d: loss %.4f\n", int(batch->epoch) + 1, loss);
    }

    const temper::Evaluation result =
        temper::evaluateDataset(session, *data.evaluation, binding, 64, {"accuracy"});
    std::printf("accuracy %.4f of %d samples\n", result.metrics.at("accuracy"),
                int(result.samples));

    state->properties()["epochs"] = int64_t{5};
    state->save(folder / "trained.ckpt", /*includeOptimizerState=*/true);
    session.exportModelForInferencing(folder / "trained.onnx", {"logits"});
} catch (const temper::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
