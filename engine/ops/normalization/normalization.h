// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// BatchNormalization, LayerNormalization, InstanceNormalization, GroupNormalization, LRN,
/// LpNormalization, MeanVarianceNormalization, and ORT's training forms and gradients of them.
void registerNormalization(OpSet& ops);

void addNormalizationTypes(OpCatalog& catalog);
void addBatchNormGradients(GradientRules& gradients);
void addLayerNormGradients(GradientRules& gradients);
void addOtherNormGradients(GradientRules& gradients);
void addBatchNormCpuKernels(KernelRegistry& kernels);
void addLayerNormCpuKernels(KernelRegistry& kernels);
void addGroupNormCpuKernels(KernelRegistry& kernels);
void addOtherNormCpuKernels(KernelRegistry& kernels);

/// Attributes of BatchNormalization and BatchNormInternal.
struct BatchNormAttributes {
    float epsilon = 1e-5F;
    float momentum = 0.9F;  ///< weight of the old running statistics
    /// The statistics are those of the batch, and the running ones are updated.
    bool isTraining = false;

    /// Before opset 14 the number of outputs says whether the operator trains.
    static BatchNormAttributes of(const Node& node, int64_t opset);
};

/// Attributes of LayerNormalization and its relatives.
struct LayerNormAttributes {
    int64_t axis = -1;  ///< the first normalized dimension
    float epsilon = 1e-5F;

    static LayerNormAttributes of(const Node& node);
};

}  // namespace temper
