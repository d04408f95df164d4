// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/distributed/group.h"
#include "engine/training/ort_classic/training_parameters.h"

namespace temper::classic {

/// What a rank shares with which others. The ranks of a stage of the pipeline follow each other;
/// among them, neighbours share the products of the model (horizontal), and those at the same place
/// among their neighbours share out the batches (data). As in ONNX Runtime.
class RankGrid {
public:
    /// The parameters have to be checked. `ranks` has to outlive it.
    RankGrid(const DistributedParameters& parameters, Group& ranks);

    Group& all() { return all_; }
    Group& data() { return data_; }
    Group& horizontal() { return horizontal_; }
    const Group& horizontal() const { return horizontal_; }
    Group& stages() { return stages_; }
    const Group& stages() const { return stages_; }
    /// Those that have one whole model together: all neighbours of all stages.
    Group& model() { return model_; }

private:
    Group& all_;
    Group data_;
    Group horizontal_;
    Group stages_;
    Group model_;
};

}  // namespace temper::classic
