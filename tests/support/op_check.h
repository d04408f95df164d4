// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/value_data.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"

namespace temper::test {

// Runs operators and whole graphs on the CPU and compares them: with given results, with finite
// differences, with the files of ONNX's and ONNX Runtime's own tests.

/// A feed of a graph input: a tensor, or the tensors of a sequence.
struct Feed {
    std::vector<Tensor> tensors;

    Feed(Tensor tensor) : tensors{std::move(tensor)} {}  // NOLINT
    explicit Feed(std::vector<Tensor> sequence) : tensors(std::move(sequence)) {}
};

using Feeds = std::map<std::string, Feed>;
using Results = std::map<std::string, Tensor>;

/// The operators of Temper, created once.
const OpSet& ops();

struct RunOptions {
    int threads = 1;
    uint64_t seed = 0;
    /// Binds the feeds' own memory, so that updates by operators to their inputs are visible.
    bool inPlace = false;
};

/// Compiles a plan for these inputs, runs it once and returns the outputs by name. Optional inputs
/// without a feed have no content.
std::map<std::string, ValueData> runOnFeeds(const Graph& graph, const Feeds& feeds,
                                            const RunOptions& options = {});
/// The same for outputs that are tensors; empty ones for others.
Results runGraph(const Graph& graph, const Feeds& feeds, const RunOptions& options = {});
/// The same for a graph in ONNX's textual format.
Results runText(std::string_view text, const Feeds& feeds, const RunOptions& options = {});

/// Nodes in ONNX's textual format and the tensors that they start from.
///
///     OpCase{"y = Gather<axis = 1>(x, i)", {{"x", ...}, {"i", ...}}}
struct OpCase {
    std::string nodes;
    Feeds feeds;
    int64_t opset = 17;
    /// Feeds that are initializers of the graph, such as axes and shapes.
    std::vector<std::string> constants = {};
};

/// The case as a graph: feeds are inputs (or initializers), values that nothing reads are outputs.
/// `symbolic`: every dimension of every input is a separate symbol.
std::unique_ptr<Graph> graphOf(const OpCase& opCase, bool symbolic = false);

Results runOp(const OpCase& opCase, const RunOptions& options = {});

struct Tolerance {
    double relative = 1e-5;
    double absolute = 1e-6;
};

/// The difference of two tensors, one sentence; empty if they are equal within the tolerance.
/// Integers and booleans must be equal; NaN equals NaN.
std::string difference(const Tensor& found, const Tensor& expected, const Tolerance& tolerance);

/// Runs a case and compares one output. Returns: the difference, empty if there is none.
std::string checkOutput(const OpCase& opCase, const std::string& output, const Tensor& expected,
                        const Tolerance& tolerance = {});

struct GradientOptions {
    /// Inputs to differentiate by; if empty, all of floating-point type.
    std::vector<std::string> inputs = {};
    /// Float64: feeds, initializers and attributes are converted, so that differences are exact
    /// enough. Float32 if a kernel has no float64: choose `step` and `tolerance` for it.
    DType dtype = DType::Float64;
    double step = 1e-5;
    Tolerance tolerance = {1e-6, 1e-7};
    /// Also builds the gradient graph from symbolic shapes, in which it finds axes at run time.
    bool alsoSymbolic = true;
    /// Differentiates the graph without sequences, optionals and decided control flow, as training
    /// does; the differences are those of the graph with them.
    bool foldsSequences = false;
};

/// Compares the gradient graph of sum(output * weight) over all floating-point outputs, fixed
/// random weights, with central differences of the graph in its training form; then the gradients
/// of one and three threads, which have to be equal to the bit.
/// Returns: the difference; empty if there is none.
std::string checkGradient(const OpCase& opCase, const GradientOptions& options = {});

struct TrainingResults {
    Tensor y;           ///< of the training form
    Results gradients;  ///< of sum(w y), by the names of the inputs
};

/// Runs a case with a result y, and its gradients by these inputs; w is one of its feeds.
/// `foldsSequences`: see GradientOptions.
TrainingResults trainingResults(const OpCase& opCase, const std::vector<std::string>& inputs,
                                bool foldsSequences = false);

/// Agreement with ONNX's recorded results: 1e-4 and 1e-6, or the tolerance of ONNX's own runner for
/// those recorded with few digits: windows with pi = 3.1415, some samples of images with four.
Tolerance onnxTolerance(std::string_view test);

/// The outcome of a recorded test.
struct Outcome {
    enum class Kind { Passed, Failed, Unsupported } kind = Kind::Passed;
    std::string message;
};

/// A test of ONNX: model.onnx and test_data_set_*/{input,output}_*.pb. `edit` changes the model
/// before it runs.
Outcome runOnnxTest(const std::filesystem::path& folder, const Tolerance& tolerance = {1e-4, 1e-6},
                    const std::function<void(Graph&)>& edit = {});

/// Operators of a model, bodies not included, that Temper lacks: "Loop", "com.microsoft.Foo".
std::vector<std::string> missingOperators(const Graph& graph);

/// A case of ONNX Runtime: model.onnx, inputs.npz and its recorded outputs.npz.
Outcome runOrtCase(const std::filesystem::path& folder, const Tolerance& tolerance = {1e-4, 1e-5});

/// Uniform in [low, high), the same for the same seed.
Tensor randomTensor(const Shape& shape, uint64_t seed = 1, float low = -1, float high = 1);
/// Multiples of 0.1 in random order, none of them 0 and all different: nothing is near a kink or
/// a tie.
Tensor distinctTensor(const Shape& shape, uint64_t seed = 1);
Tensor integerTensor(std::initializer_list<int64_t> values);

}  // namespace temper::test
