// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <QTest>
#include <algorithm>
#include <limits>

#include "engine/autodiff/gradient_graph.h"
#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/control_folding.h"
#include "engine/runtime/graph_folding.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Any integer may stand in an attribute or in a constant that is a shape. Type inference,
/// gradients, lowerings and kernels calculate with it or refuse it with an Error that names it.
class IntegerRangeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void anyIntegerIsTakenOrRefused_data();
    void anyIntegerIsTakenOrRefused();
    void whatIsRefusedIsNamed_data();
    void whatIsRefusedIsNamed();
};

using Limits = std::numeric_limits<int64_t>;

static const std::vector<int64_t> kExtremes = {Limits::max(),
                                               Limits::min(),
                                               -1,
                                               0,
                                               1,
                                               int64_t{1} << 31,
                                               (int64_t{1} << 31) - 1,
                                               int64_t{1} << 30,
                                               -(int64_t{1} << 31),
                                               int64_t{1} << 62};

/// Sizes between this limit and the machine's memory are valid but slow.
void IntegerRangeTest::initTestCase() {
    constexpr rlim_t kLargestTensor = 16 << 20;
    rlimit limit{};
    getrlimit(RLIMIT_RSS, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, kLargestTensor);
    QCOMPARE(setrlimit(RLIMIT_RSS, &limit), 0);
}

/// Integers in '#' are replaced, one at a time.
void IntegerRangeTest::anyIntegerIsTakenOrRefused_data() {
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("constants");
    QTest::addColumn<QString>("node");
    QTest::addColumn<int>("opset");
    QTest::addColumn<bool>("isValid");
    const auto add = [](const char* inputs, const char* constants, const char* node, int opset,
                        bool isValid) {
        QTest::addRow("%s, %s", node, inputs)
            << QString(inputs) << QString(constants) << QString(node) << opset << isValid;
    };
    const auto row = [&](const char* inputs, const char* constants, const char* node,
                         int opset = 17) { add(inputs, constants, node, opset, true); };
    // Refused as it is, but by a check that other integers may pass.
    const auto odd = [&](const char* inputs, const char* constants, const char* node,
                         int opset = 17) { add(inputs, constants, node, opset, false); };
    // Found by fuzzing: the heads of a packed query.
    row("float[2, 3, 2, 3, 4] q", "", "y = com.microsoft.MultiHeadAttention<num_heads = #2#>(q)");
    row("float[2, 3, 8] q, float[2, 3, 8] k, float[2, 3, 8] v", "",
        "y = com.microsoft.MultiHeadAttention<num_heads = #2#>(q, k, v)");
    row("float[2, 3, 4] x, float[4, 12] w, float[12] b", "",
        "y = com.microsoft.Attention<num_heads = #2#, qkv_hidden_sizes = [#4#, #4#, #4#]>(x, w, "
        "b)");
    row("float[1, 2, 8] q, float[1, 2, 4] k, float[1, 2, 4] v",
        "int32[1] l = {#1#}, int32 t = {#2#}",
        "y = com.microsoft.GroupQueryAttention<num_heads = #2#, kv_num_heads = #1#, "
        "local_window_size = #1#>(q, k, v, \"\", \"\", l, t)");
    row("float[1, 2, 8] x, float[4, 2] c, float[4, 2] s", "int64[1] p = {#0#}",
        "y = com.microsoft.RotaryEmbedding<num_heads = #2#, rotary_embedding_dim = #4#>(x, p, c, "
        "s)");
    row("float[1, 2, 8] x, float[1, 2, 2] c, float[1, 2, 2] s", "",
        "y = RotaryEmbedding<num_heads = #2#, rotary_embedding_dim = #4#>(x, c, s)", 23);
    row("float[1, 2, 8] q, float[1, 2, 8] k, float[1, 2, 8] v", "",
        "y = Attention<q_num_heads = #2#, kv_num_heads = #2#, left_window_size = #1#, "
        "right_window_size = #1#>(q, k, v)",
        25);
    row("float[1, 2, 8] q, float[1, 2, 4] k, float[1, 2, 4] v", "",
        "y = LinearAttention<q_num_heads = #2#, kv_num_heads = #1#, update_rule = \"linear\">(q, "
        "k, v)",
        27);
    row("float[1, 4, 3, 3] x", "float[4] g = {1, 1, 1, 1}",
        "y = com.microsoft.GroupNorm<groups = #2#, channels_last = #0#, activation = #0#>(x, g, "
        "g)");
    odd("float[1, 0, 3, 3] x", "float[0] g = {}",
        "y = com.microsoft.GroupNorm<groups = #2#, channels_last = #0#, activation = #0#>(x, g, "
        "g)");
    row("float[1, 4, 3, 3] x, float[4] s", "", "y = GroupNormalization<num_groups = #2#>(x, s, s)",
        21);
    row("float[2, 16] x", "int64[3] d = {3, 1, 8}, float[3, 1] s = {1, 1, 1}",
        "w = ConstantOfShape<value = uint8[1] {1}>(d) y = com.microsoft.MatMulNBits<K = #16#, N = "
        "#3#, block_size = #16#, bits = #4#>(x, w, s)");
    row("float[2, 16] x", "float[3] s = {1, 1, 1}",
        "w = ConstantOfShape<value = uint8[1] {1}>(n) y = com.microsoft.MatMulBnb4<K = #16#, N = "
        "#3#, "
        "block_size = #16#, quant_type = #0#>(x, w, s)");
    row("float[2, 6] x", "",
        "y = com.microsoft.UnfoldTensor<dim = #-1#, size = #2#, step = #2#>(x)");
    row("float[2, 2] x", "int64[4] p = {#0#, #0#, #1#, #1#}, float[1] v = {0}",
        "y = com.microsoft.Pad(x, p, v)");
    row("float[1, 2, 3, 3] x, float[2, 1, 2, 2] w", "int64[4] p = {#0#, #0#, #0#, #0#}",
        "y = com.microsoft.ConvTransposeWithDynamicPads<group = #2#>(x, w, p)");
    row("float[1, 4, 4, 4] x", "",
        "y = Crop<border = [#1#, #1#, #1#, #1#], scale = [#1#, #1#]>(x)");
    row("float[1, 2, 4, 4] x, float[2, 1, 2, 2] w", "",
        "y = Conv<group = #2#, kernel_shape = [#2#, #2#], strides = [#1#, #1#], dilations = [#1#, "
        "#1#], pads = [#0#, #0#, #0#, #0#]>(x, w)");
    row("float[1, 2, 4, 4] x, float[2, 1, 2, 2] w", "",
        "y = ConvTranspose<group = #2#, strides = [#1#, #1#], output_padding = [#0#, #0#], "
        "output_shape = [#5#, #5#]>(x, w)");
    row("float[1, 0, 4, 4] x, float[0, 3, 2, 2] w", "", "y = ConvTranspose<group = #2#>(x, w)");
    odd("float[1, 0, 4, 4] x, float[0, 3, 2, 2] w", "", "y = Conv<group = #2#>(x, w)");
    row("float[1, 2, 3, 3] x, float[2, 2, 2, 2] w, float[1, 8, 2, 2] o", "",
        "y = DeformConv<group = #1#, offset_group = #1#, kernel_shape = [#2#, #2#]>(x, w, o)", 19);
    odd("float[1, 0, 3, 3] x, float[0, 2, 2, 2] w, float[1, 8, 2, 2] o", "",
        "y = DeformConv<group = #1#, offset_group = #1#>(x, w, o)", 19);
    row("float[1, 1, 2, 2] x", "int64[1, 1, 2, 2] i = {#0#, 1, 2, 3}",
        "y = MaxUnpool<kernel_shape = [#2#, #2#], strides = [#2#, #2#], pads = [#0#, #0#, #0#, "
        "#0#]>"
        "(x, i)");
    row("float[1, 1, 2, 2] x",
        "int64[1, 1, 2, 2] i = {0, 1, 2, 3}, int64[4] s = {#1#, #1#, #4#, #4#}",
        "y = MaxUnpool<kernel_shape = [2, 2]>(x, i, s)");
    row("float[1, 1, 4, 4] x", "",
        "y = AveragePool<kernel_shape = [#2#, #2#], strides = [#2#, #2#], pads = [#0#, #0#, #0#, "
        "#0#], ceil_mode = #1#>(x)",
        19);
    row("float[1, 1, 4, 4] x", "", "y = LpPool<kernel_shape = [2, 2], p = #2#>(x)", 18);
    row("float[1, 3, 2, 2] x", "", "y = LRN<size = #3#>(x)");
    row("float[2, 6] x",
        "int64[2] b = {#0#, #0#}, int64[2] e = {#1#, #2#}, int64[2] a = {#0#, #1#}, "
        "int64[2] s = {#1#, #2#}",
        "y = Slice(x, b, e, a, s)");
    row("float[2, 6] x", "", "y = Slice<starts = [#0#], ends = [#1#], axes = [#1#]>(x)", 9);
    row("float[2, 6] x", "int64[2] p = {#3#, #3#}", "y, z = Split<axis = #1#>(x, p)");
    row("float[n, 6] x", "int64[2] p = {#1#, #1#}", "y, z = Split<axis = #0#>(x, p)");
    row("float[2, 6] x", "", "y, z = Split<axis = #1#, num_outputs = #2#>(x)", 18);
    row("float[2, 6] x", "int64 p = {#3#}, int64 i = {#0#}",
        "s = SplitToSequence<axis = #1#>(x, p) y = SequenceAt(s, i)");
    row("float[n, 6] x", "int64 p = {#3#}, int64 i = {#1#}",
        "s = SplitToSequence<axis = #0#>(x, p) y = SequenceAt(s, i)");
    row("float[2, 6] x", "int64[2] p = {#2#, #4#}, int64 i = {#1#}",
        "s = SplitToSequence<axis = #1#>(x, p) y = SequenceAt(s, i)");
    row("float[1] x", "int32 a = {#0#}, int32 b = {#5#}, int32 c = {#2#}",
        "r = Range(a, b, c) f = Cast<to = #1#>(r) y = Mul(f, x)");
    row("float[1] x", "int64 a = {#0#}, int64 b = {#5#}, int64 c = {#2#}",
        "r = Range(a, b, c) f = Cast<to = #1#>(r) y = Mul(f, x)");
    row("float[2, 2, 3] x, float[1, 8, 3] w, float[1, 8, 2] r", "int32[2] l = {#1#, #2#}",
        "y = LSTM<hidden_size = #2#, layout = #0#, input_forget = #0#>(x, w, r, \"\", l)");
    row("float[1, 5, 1] x", "int64 l = {#4#}, int64 a = {#1#}",
        "y = DFT<onesided = #1#, inverse = #0#>(x, l, a)", 20);
    row("float[1, 5, 1] x", "int64 s = {#1#}, int64 f = {#2#}",
        "y = STFT<onesided = #1#>(x, s, \"\", f)");
    row("float[1] x", "int64 s = {#3#}",
        "h = HannWindow<periodic = #1#, output_datatype = #1#>(s) y = Mul(h, x)");
    row("float[1] x", "int64 b = {#3#}, int64 d = {#4#}, int64 r = {#8#}, float f = {1}",
        "h = MelWeightMatrix(b, d, r, f, f) y = Mul(h, x)");
    row("float[1, 4, 4] x", "int64[2] i = {#3#, #3#}, int64[2] b = {#2#, #2#}",
        "y = Col2Im<strides = [#1#, #1#], dilations = [#1#, #1#], pads = [#0#, #0#, #0#, #0#]>(x, "
        "i, b)",
        18);
    row("float[3, 3] x", "int64 k = {#0#}", "y = Trilu<upper = #1#>(x, k)");
    row("float[3, 3] x", "", "e = EyeLike<k = #0#, dtype = #1#>(x) y = Mul(e, x)");
    row("float[3, 3] x", "int64[1] k = {#2#}", "y, i = TopK<axis = #1#>(x, k)");
    row("float[3, 3] x", "", "y, i = TopK<axis = #1#, k = #2#>(x)", 9);
    row("float[2] x", "int64[2] i = {#0#, #1#}, int64 d = {#3#}",
        "h = OneHot<axis = #-1#>(i, d, x) y = Identity(h)");
    row("float[2, 2, 1] x", "int64[2] l = {#1#, #2#}",
        "y = ReverseSequence<time_axis = #0#, batch_axis = #1#>(x, l)");
    row("float[1, 4, 2, 2] x", "", "y = DepthToSpace<blocksize = #2#>(x)");
    row("float[1, 4, 2, 2] x", "", "y = SpaceToDepth<blocksize = #2#>(x)");
    odd("float[1, 16777216, 0, 0] x", "", "y = SpaceToDepth<blocksize = #1048576#>(x)");
    row("float[1, 1, 4, 4] x, float[1, 4] r", "int64[1] b = {#0#}",
        "y = RoiAlign<output_height = #2#, output_width = #2#, sampling_ratio = #2#>(x, r, b)");
    row("float[1, 1, 4, 4] x", "float[1, 5] r = {0, 0, 0, 1, 1}",
        "y = MaxRoiPool<pooled_shape = [#2#, #2#]>(x, r)");
    row("float[2, 3] x", "int64[2] r = {#1#, #2#}", "y = Tile(x, r)");
    row("float[2, 3] x", "int64[3] s = {#1#, #2#, #3#}", "y = Expand(x, s)");
    row("float[2, 3] x", "int64[2] s = {#3#, #2#}", "y = Reshape<allowzero = #0#>(x, s)");
    row("float[1] x", "int64[2] s = {#3#, #2#}", "c = ConstantOfShape(s) y = Add(c, x)");
    row("float[1, 1, 2, 2] x", "int64[4] s = {#1#, #1#, #3#, #3#}", "y = Resize(x, \"\", \"\", s)");
    row("float[1, 1, 2, 2] x", "int64[2] s = {#3#, #3#}",
        "y = Resize<mode = \"linear\", antialias = #1#, axes = [#2#, #3#], "
        "keep_aspect_ratio_policy = "
        "\"not_larger\">(x, \"\", \"\", s)",
        18);
    row("float[2, 3] x", "int64[2] s = {#3#, #2#}", "y = CenterCropPad<axes = [#0#, #1#]>(x, s)",
        18);
    row("float[2, 3] x",
        "int64[4] p = {#0#, #1#, #0#, #1#}, int64[2] a = {#0#, #1#}, float v = {0}",
        "y = Pad(x, p, v, a)", 18);
    row("float[2, 3] x", "int64[4] p = {#0#, #1#, #0#, #1#}", "y = Pad<mode = \"wrap\">(x, p)", 19);
    row("float[2, 3] x", "int64[4] p = {#0#, #1#, #0#, #1#}", "y = Pad<mode = \"reflect\">(x, p)");
    row("float[2, 3] x", "", "y = Pad<pads = [#0#, #1#, #0#, #1#]>(x)", 9);
    row("float[2, 3] x", "int64[2] i = {#0#, #1#}", "y = Gather<axis = #1#>(x, i)");
    row("float[2, 3] x", "int64[2, 1] i = {#0#, #1#}", "y = GatherElements<axis = #1#>(x, i)");
    row("float[2, 3] x", "int64[2, 1] i = {#0#, #1#}", "y = GatherND<batch_dims = #0#>(x, i)");
    row("float[2, 3] x, float[1, 3] u", "int64[1, 1] i = {#0#}", "y = ScatterND(x, i, u)");
    row("float[2, 3] x", "int64 a = {#0#}", "y = CumSum<exclusive = #0#, reverse = #1#>(x, a)");
    row("float[1, 2, 3] x", "int64[4] s = {#1#, #1#, #2#, #2#}",
        "y = AffineGrid<align_corners = #0#>(x, s)", 20);
    row("float[2, 3] x", "",
        "i = Multinomial<sample_size = #3#, dtype = #6#>(x) y = Cast<to = #1#>(i)");
    row("float[1] x", "", "r = RandomNormal<shape = [#2#, #2#], dtype = #1#>() y = Mul(r, x)");
    row("float[2, 4] x", "float[2, 2] s = {1, 1, 1, 1}",
        "q = QuantizeLinear<axis = #1#, block_size = #2#, output_dtype = #3#>(x, s) "
        "y = DequantizeLinear<axis = #1#, block_size = #2#>(q, s)",
        23);
    row("float[2, 3, 4] x", "",
        "s = Shape<start = #0#, end = #2#>(x) f = Cast<to = 1>(s) y = ReduceSum(f)");
    row("float[2, 3, 4] x", "", "y = Flatten<axis = #1#>(x)");
    row("float[2, 3, 4] x", "", "y = Transpose<perm = [#0#, #2#, #1#]>(x)");
    row("float[1, 3, 1] x", "int64[2] a = {#0#, #2#}", "y = Squeeze(x, a)");
    row("float[3] x", "int64[2] a = {#0#, #2#}", "y = Unsqueeze(x, a)");
    row("float[2, 3] x", "int64[1] a = {#1#}", "y = ReduceSum<keepdims = #1#>(x, a)");
    row("float[2, 3] x", "", "y = ReduceMean<axes = [#0#, #1#]>(x)");
    row("float[2, 3] x", "", "i = ArgMax<axis = #1#, keepdims = #0#>(x) y = Cast<to = 1>(i)");
    row("float[2, 3] x", "int64[2] t = {#1#, #2#}",
        "y = SoftmaxCrossEntropyLoss<ignore_index = #-1#>(x, t)");
    row("float[2] x", "int64[2] a = {#3#, #4#}, int64[2] b = {#2#, #-1#}",
        "c = Add(a, b) d = Sub(c, b) e = Mul(d, b) g = Div(e, b) h = Mod(g, b) i = Neg(h) j = "
        "Abs(i) "
        "f = Cast<to = 1>(j) y = Mul(f, x)");
    row("float[2] x", "uint64[2] a = {3, 4}, uint64[2] b = {1, 70}",
        "c = BitShift<direction = \"LEFT\">(a, b) f = Cast<to = #1#>(c) y = Mul(f, x)");
    row("float[1, 2, 6] x, float[2, 1, 3] w", "", "y = CausalConvWithState(x, w)", 27);
    row("float[1, 2, 4, 3] x, float[1, 2, 1, 3] u", "int64[1] p = {#1#}",
        "y = TensorScatter<axis = #2#, mode = \"circular\">(x, u, p)", 24);
    row("float[2] x", "int64[6] t = {#1#, #2#, 3, 1, 2, 3}",
        "f = TfIdfVectorizer<mode = \"TF\", min_gram_length = #1#, max_gram_length = #2#, "
        "max_skip_count = #1#, ngram_counts = [#0#, #1#], ngram_indexes = [#0#, #1#], "
        "pool_int64s = [#1#, #2#, #3#]>(t) y = Mul(f, x)");
    row("float[2, 3] x", "int64 t = {#2#}, bool c = {1}",
        "y = Loop(t, c, x) <body = b (int64 i, bool c1, float[2, 3] s) => (bool c2, float[2, 3] r) "
        "{ c2 = Identity(c1) r = Relu(s) }>");
    row("float[2, 3] x, float[3] s", "",
        "z, y = Scan<num_scan_inputs = #1#, scan_input_axes = [#0#], scan_output_axes = [#0#], "
        "body = b (float[3] a, float[3] e) => (float[3] r, float[3] o) "
        "{ r = Add(a, e) o = Identity(r) }>(s, x)");
    row("float[0, 2] x", "", "y = Concat<axis = #0#>(x, x)");
}

namespace {

struct Case {
    QString inputs;
    QString constants;
    QString node;
    int opset;

    QString text() const {
        QString all = QString(
                          "<ir_version: 8, opset_import: [\"\": %1, \"com.microsoft\": 1]> g (%2) "
                          "=> (y) <int64[1] n = {24}%3> { %4 }")
                          .arg(opset)
                          .arg(inputs, constants.isEmpty() ? "" : ", " + constants, node);
        return all;
    }
};

/// The text with the integer in the `which`-th pair of '#' replaced; the others as they are.
QString withInteger(const QString& text, int which, int64_t number) {
    QStringList parts = text.split('#');
    if (which >= 0) parts[2 * which + 1] = QString::number(number);
    return parts.join("");
}

/// Ones of the inputs' shapes; dimensions that are open are 2.
Feeds feedsFor(const Graph& graph) {
    Feeds feeds;
    for (const Value* input : graph.inputs()) {
        Shape shape;
        for (const Dim& dim : *input->type().shape) shape.push_back(dim.isNumber() ? dim.value : 2);
        const std::vector<float> ones(static_cast<size_t>(numElements(shape)), 1.0F);
        feeds.emplace(input->name(), Tensor::of<float>(shape, std::span<const float>(ones)));
    }
    return feeds;
}

/// Throws: what the steps throw. Returns: what type inference reports.
std::vector<Finding> computeAndDifferentiate(const QString& text) {
    auto graph = parseText(text.toStdString());
    if (hasFoldableNodes(*graph)) {
        graph = withFoldedControlFlow(*graph, ops().catalog, ops().cpuKernels, {});
    }
    const auto differentiated = graph->clone();
    const std::vector<Finding> findings = inferTypes(*differentiated, ops().catalog);
    Value* output = differentiated->outputs().front();
    if (isFloating(output->type().dtype)) {
        tryGradients(*differentiated, ops().catalog, ops().gradients, differentiated->outputs(),
                     differentiated->inputs());
    }
    const auto folded = graph->clone();
    inferTypes(*folded, ops().catalog);
    foldKnownValues(*folded, ops().catalog, ops().cpuKernels);
    runGraph(*graph, feedsFor(*graph));
    return findings;
}

QString problemOf(const QString& text) {
    try {
        for (const Finding& finding : computeAndDifferentiate(text)) {
            if (finding.message.find("nternal error") != std::string::npos)
                return QString::fromStdString(finding.message);
        }
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Internal) return error.what();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

/// Why the model is refused, or nothing.
QString refusalOf(const QString& text) {
    try {
        for (const Finding& finding : computeAndDifferentiate(text)) {
            if (finding.severity == Severity::Error) return finding.message.c_str();
        }
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

void IntegerRangeTest::anyIntegerIsTakenOrRefused() {
    QFETCH(QString, inputs);
    QFETCH(QString, constants);
    QFETCH(QString, node);
    QFETCH(int, opset);
    const QString text = Case{inputs, constants, node, opset}.text();
    const auto places = static_cast<int>(text.count('#') / 2);
    QFETCH(bool, isValid);
    const QString refusal = refusalOf(withInteger(text, -1, 0));
    QVERIFY2(refusal.isEmpty() == isValid, qPrintable(refusal));
    QStringList problems;
    const auto check = [&](const QString& changed) {
        const QString problem = problemOf(changed);
        if (!problem.isEmpty()) problems << changed + ":\n        " + problem;
    };
    for (int place = 0; place < places; ++place) {
        for (const int64_t number : kExtremes) check(withInteger(text, place, number));
    }
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n    ")));
}

void IntegerRangeTest::whatIsRefusedIsNamed_data() {
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("constants");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* inputs, const char* constants, const char* node,
                        const char* message) {
        QTest::newRow(node) << QString(inputs) << QString(constants) << QString(node)
                            << QString(message);
    };
    row("float[2, 3, 2, 3, 4] q", "",
        "y = com.microsoft.MultiHeadAttention<num_heads = 9223372036854775807>(q)",
        "Attribute 'num_heads' is 9223372036854775807; expected a number from -2147483648 to "
        "2147483648.");
    row("float[1, 1, 4, 4] x", "", "y = MaxPool<kernel_shape = [2, 4611686018427387904]>(x)",
        "Attribute 'kernel_shape' holds 4611686018427387904; expected a number from");
    row("float[2, 6] x", "int64[2] p = {4611686018427387904, 4611686018427387904}",
        "y, z = Split<axis = 1>(x, p)",
        "The sum of 4611686018427387904 and 4611686018427387904 does not fit into 64 bits.");
    row("float[2] x", "float[0, 4611686018427387904] w = {}", "y = Concat<axis = 0>(w, w)",
        "Value 'w' (float32[0, 4611686018427387904]) needs");
}

void IntegerRangeTest::whatIsRefusedIsNamed() {
    QFETCH(QString, inputs);
    QFETCH(QString, constants);
    QFETCH(QString, node);
    QFETCH(QString, message);
    const auto graph = parseText(Case{inputs, constants, node, 17}.text().toStdString());
    const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
    QVERIFY(!findings.empty());
    QCOMPARE(findings.front().code, std::string("T002"));
    QVERIFY2(QString::fromStdString(findings.front().message).contains(message),
             findings.front().message.c_str());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::IntegerRangeTest)
#include "integer_range_test.moc"
