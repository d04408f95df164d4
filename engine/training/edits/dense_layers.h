// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"

namespace temper {

/// A fully connected layer: each of its units reads all inputs. Pointers into the model.
struct DenseLayer {
    Node* product = nullptr;  ///< Gemm or MatMul
    Node* biasAdd = nullptr;  ///< null if the product adds the bias, or there is none
    Value* weight = nullptr;  ///< shape [inputs, units], or transposed
    Value* bias = nullptr;    ///< or null
    size_t unitAxis = 0;      ///< of the weight
    /// Element-wise nodes, and dropout, after the bias, in their order.
    std::vector<Node*> activation = {};

    int64_t units() const { return weight->constant().shape()[unitAxis]; }
    int64_t inputs() const { return weight->constant().shape()[1 - unitAxis]; }
    Value* features() const { return product->input(0); }
    /// Before the activation.
    Value* sums() const { return (biasAdd != nullptr ? biasAdd : product)->output(0); }
    /// What the next layer reads.
    Value* output() const { return activation.empty() ? sums() : activation.back()->output(0); }
    /// The product's name, or that of its output if it has none.
    std::string name() const;
};

/// The fully connected layers at the end of a model, first to last: each reads only the layer
/// before it. The last is the head, without activation, see findHead(). Empty if the head is not
/// fully connected. Throws: as findHead().
std::vector<DenseLayer> findDenseLayers(const Graph& model, const OpCatalog& catalog);

}  // namespace temper
