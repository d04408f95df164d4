// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/ort_record.h"

using namespace temper;
using namespace temper::test;

namespace {

// Operators of com.microsoft on integers of 8 bits, as ONNX Runtime's quantization tools write
// them.

const std::filesystem::path kRecord =
    std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/quantized_forms_ort.npz";

Tensor bytes(const Shape& shape, uint64_t seed) {
    return randomTensor(shape, seed, 0, 256).cast(DType::UInt8);
}

Tensor signedBytes(const Shape& shape, uint64_t seed) {
    return randomTensor(shape, seed, -128, 128).cast(DType::Int8);
}

/// Scales s, t, r and zero points z, u, w of two operands and a result, and more feeds. No mean
/// lies halfway between two steps, where the order of the sums would matter.
OpCase quantized(const std::string& node, Feeds feeds, DType dtype = DType::UInt8) {
    const bool isSigned = dtype == DType::Int8;
    const auto zero = [&](int64_t value) { return Tensor::scalar<int64_t>(value).cast(dtype); };
    feeds.insert({"s", Tensor::scalar(0.031F)});
    feeds.insert({"t", Tensor::scalar(0.01739F)});
    feeds.insert({"r", Tensor::scalar(0.053F)});
    feeds.insert({"z", zero(isSigned ? 7 : 131)});
    feeds.insert({"u", zero(isSigned ? -3 : 117)});
    feeds.insert({"w", zero(isSigned ? 5 : 120)});
    std::vector<std::string> constants;
    for (const char* name : {"s", "t", "r", "p", "z", "u", "w", "i", "e", "o"}) {
        if (feeds.contains(name)) constants.emplace_back(name);
    }
    return {"y = com.microsoft." + node, std::move(feeds), 17, std::move(constants)};
}

std::vector<GradientCase> elementwiseCases() {
    const Feeds two{{"a", bytes({2, 3, 4}, 1)}, {"b", bytes({3, 1}, 2)}};
    const Feeds twoSigned{{"a", signedBytes({2, 3, 4}, 1)}, {"b", signedBytes({3, 4}, 2)}};
    const Feeds one{{"x", bytes({2, 3, 4}, 3)}, {"p", Tensor::scalar(1.0F / 256)}};
    const Feeds oneSigned{{"x", signedBytes({2, 3, 4}, 3)}};
    const DType int8 = DType::Int8;
    return {
        {"add", quantized("QLinearAdd(a, s, z, b, t, u, r, w)", two)},
        {"add, signed", quantized("QLinearAdd(a, s, z, b, t, u, r, w)", twoSigned, int8)},
        {"multiply", quantized("QLinearMul(a, s, z, b, t, u, r, w)", two)},
        {"multiply, signed", quantized("QLinearMul(a, s, z, b, t, u, r, w)", twoSigned, int8)},
        {"leaky relu", quantized("QLinearLeakyRelu<alpha = 0.3>(x, s, z, r, w)", one)},
        {"leaky relu, signed", quantized("QLinearLeakyRelu(x, s, z, r, w)", oneSigned, int8)},
        {"sigmoid", quantized("QLinearSigmoid(x, s, z, t, u)", one)},
        {"sigmoid, signed", quantized("QLinearSigmoid(x, s, z, t, u)", oneSigned, int8)},
        {"softmax", quantized("QLinearSoftmax<axis = 2, opset = 13>(x, s, z, p, u)", one)},
        {"softmax of another dimension",
         quantized("QLinearSoftmax<axis = 1, opset = 13>(x, s, z, p, u)", one)},
        {"softmax of all from a dimension on",
         quantized("QLinearSoftmax<axis = 1, opset = 11>(x, s, z, p, u)", one)},
        {"concat", quantized("QLinearConcat<axis = 1>(r, w, a, s, z, c, t, u)",
                             {{"a", bytes({2, 3}, 1)}, {"c", bytes({2, 2}, 2)}})},
        {"choose", quantized("QLinearWhere(m, a, s, z, b, t, u, r, w)",
                             {{"m", Tensor::of<int64_t>({3, 1}, {1, 0, 1}).cast(DType::Bool)},
                              {"a", bytes({2, 3, 4}, 1)},
                              {"b", bytes({3, 1}, 2)}})},
    };
}

std::vector<GradientCase> imageCases() {
    const Feeds first{{"x", bytes({2, 3, 5, 4}, 1)}}, last{{"x", bytes({2, 5, 4, 3}, 1)}};
    const Feeds conv{{"x", bytes({1, 2, 5, 4}, 1)},
                     {"k", signedBytes({3, 2, 3, 3}, 2)},
                     {"i", Tensor::scalar<int8_t>(0)},
                     {"bias", Tensor::of<int32_t>({3}, {-300, 20, 500})}};
    Feeds convLast = conv;
    convLast.insert_or_assign("x", bytes({1, 5, 4, 2}, 1));
    const std::string pool =
        "QLinearAveragePool<kernel_shape = [3, 2], strides = [2, 1], "
        "pads = [1, 0, 1, 1]";
    return {
        {"average pool", quantized(pool + ">(x, s, z, t, u)", first)},
        {"average pool with its padding",
         quantized(pool + ", count_include_pad = 1>(x, s, z, t, u)", first)},
        {"average pool, channels last",
         quantized(pool + ", channels_last = 1>(x, s, z, t, u)", last)},
        {"global average pool",
         quantized("QLinearGlobalAveragePool<channels_last = 0>(x, s, z, t, u)", first)},
        {"global average pool, channels last",
         quantized("QLinearGlobalAveragePool<channels_last = 1>(x, s, z, t, u)", last)},
        {"max pool, channels last",
         quantized("NhwcMaxPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]>(x)",
                   last)},
        {"convolution",
         quantized("QLinearConv<pads = [1, 0, 0, 1]>(x, s, z, k, t, i, r, w, bias)", conv)},
        {"convolution, channels last",
         quantized("QLinearConv<channels_last = 1, strides = [2, 1]>(x, s, z, k, t, i, r, w, bias)",
                   convLast)},
    };
}

std::vector<GradientCase> productCases() {
    const Feeds gemm{{"a", bytes({3, 4}, 1)},
                     {"b", signedBytes({5, 4}, 2)},
                     {"i", Tensor::scalar<int8_t>(3)},
                     {"c", Tensor::of<int32_t>({5}, {-300, 20, 500, 0, 7})}};
    Feeds byColumn = gemm;
    byColumn.insert({"e", randomTensor({5}, 4, 0.01F, 0.03F)});
    byColumn.insert({"o", Tensor::of<int8_t>({5}, {0, 3, -2, 7, 1})});
    const Feeds floats{{"a", randomTensor({2, 3, 4}, 1)},
                       {"b", signedBytes({4, 5}, 2)},
                       {"i", Tensor::scalar<int8_t>(3)},
                       {"bias", randomTensor({5}, 3)}};
    Feeds integers = floats;
    integers.insert_or_assign("a", bytes({2, 3, 4}, 1));
    return {
        {"gemm", quantized("QGemm<transB = 1>(a, s, z, b, t, i, c, r, w)", gemm)},
        {"gemm with floats as its result",
         quantized("QGemm<transB = 1, alpha = 0.5>(a, s, z, b, t, i, c)", gemm)},
        {"gemm with scales by column",
         quantized("QGemm<transB = 1>(a, s, z, b, e, o, c, r, w)", byColumn)},
        {"gemm without bias", quantized("QGemm<transB = 1>(a, s, z, b, t, i)", gemm)},
        {"product to floats", quantized("MatMulIntegerToFloat(a, b, s, t, z, i, bias)", integers)},
        {"product to floats without zero points",
         quantized("MatMulIntegerToFloat(a, b, s, t)", integers)},
        {"product of floats that are quantized",
         quantized("DynamicQuantizeMatMul(a, b, t, i, bias)", floats)},
        {"product of floats that are quantized, without bias",
         quantized("DynamicQuantizeMatMul(a, b, t)", floats)},
    };
}

/// Two heads of size 4; batch 2, sequence 3.
std::vector<GradientCase> attentionCases() {
    const Feeds feeds{{"x", bytes({2, 3, 6}, 1)},
                      {"k", signedBytes({6, 24}, 2)},
                      {"bias", randomTensor({24}, 3)},
                      {"i", Tensor::scalar<int8_t>(0)},
                      {"m", Tensor::of<int32_t>({2}, {2, 3})},
                      {"past", randomTensor({2, 2, 2, 4, 4}, 4)}};
    Feeds byColumn = feeds;
    byColumn.insert({"e", randomTensor({24}, 5, 0.002F, 0.008F)});
    byColumn.insert({"o", Tensor::of<int8_t>({24}, std::vector<int8_t>(24, 0))});
    return {
        {"attention", quantized("QAttention<num_heads = 2>(x, k, bias, s, t, \"\", z, i)", feeds)},
        {"attention with a mask, causal",
         quantized("QAttention<num_heads = 2, unidirectional = 1>(x, k, bias, s, t, m, z, i)",
                   feeds)},
        {"attention with scales by column",
         quantized("QAttention<num_heads = 2>(x, k, bias, s, e, \"\", z, o)", byColumn)},
        {"attention with a past",
         [&] {
             OpCase opCase = quantized(
                 "QAttention<num_heads = 2, unidirectional = 1>(x, k, bias, s, t, \"\", z, i, "
                 "past)",
                 feeds);
             opCase.nodes = "y, present" + opCase.nodes.substr(1);
             return opCase;
         }()},
    };
}

std::vector<GradientCase> scalingCases() {
    const Feeds floats{{"x", randomTensor({2, 3, 4}, 1, -4, 4)}};
    const Feeds channels{{"x", randomTensor({2, 3, 4}, 1, -4, 4)},
                         {"s", Tensor::of<float>({3}, {0.02F, 0.03F, 0.05F})},
                         {"z", Tensor::of<uint8_t>({3}, {100, 128, 140})}};
    Feeds integers = channels;
    integers.insert_or_assign("x", bytes({2, 3, 4}, 2));
    return {
        {"quantize", quantized("QuantizeLinear(x, s, z)", floats)},
        {"quantize by channel", quantized("QuantizeLinear<axis = 1>(x, s, z)", channels)},
        {"dequantize", quantized("DequantizeLinear(x, s, z)", {{"x", bytes({2, 3, 4}, 2)}})},
        {"dequantize by channel", quantized("DequantizeLinear<axis = 1>(x, s, z)", integers)},
        {"dequantize 16 bits",
         quantized("DequantizeLinear(x, s, z)",
                   {{"x", Tensor::of<int16_t>({4}, {-30000, -1, 0, 20000})}}, DType::Int16)},
    };
}

/// Forms that ONNX Runtime 1.19 does not run, and the operators that they consist of.
struct Equivalent {
    const char* name;
    OpCase opCase;
    std::string nodes;
};

std::vector<Equivalent> equivalents() {
    const Feeds one{{"x", signedBytes({2, 3, 4}, 3)}};
    const Feeds two{{"a", signedBytes({2, 3, 4}, 1)},
                    {"b", signedBytes({3, 4}, 2)},
                    {"n", Tensor::scalar<int8_t>(0)}};
    const std::string back = " y = QuantizeLinear(m, t, u)";
    return {
        {"mean",
         quantized("QLinearReduceMean<axes = [1], keepdims = 1>(x, s, z, t, u)", one, DType::Int8),
         "d = DequantizeLinear(x, s, z) m = ReduceMean<axes = [1]>(d)" + back},
        {"mean without the dimensions",
         quantized("QLinearReduceMean<axes = [0, 2], keepdims = 0>(x, s, z, t, u)", one,
                   DType::Int8),
         "d = DequantizeLinear(x, s, z) m = ReduceMean<axes = [0, 2], keepdims = 0>(d)" + back},
        {"add without zero points", quantized("QLinearAdd(a, s, \"\", b, t, \"\", r)", two),
         "d = DequantizeLinear(a, s) e = DequantizeLinear(b, t) m = Add(d, e) "
         "y = QuantizeLinear(m, r, n)"},
    };
}

/// Removes unused feeds: they would be inputs that nothing reads.
GradientCase trimmed(GradientCase oneCase) {
    OpCase& opCase = oneCase.opCase;
    const auto isRead = [&](const std::string& name) {
        for (const char* before : {"(", ", "}) {
            for (const char* behind : {")", ","}) {
                if (opCase.nodes.find(before + name + behind) != std::string::npos) return true;
            }
        }
        return false;
    };
    std::erase_if(opCase.feeds, [&](const auto& feed) { return !isRead(feed.first); });
    std::erase_if(opCase.constants, [&](const std::string& name) { return !isRead(name); });
    return oneCase;
}

std::vector<GradientCase> allCases() {
    std::vector<GradientCase> all;
    for (const auto& list :
         {elementwiseCases(), imageCases(), productCases(), attentionCases(), scalingCases()}) {
        for (const GradientCase& oneCase : list) all.push_back(trimmed(oneCase));
    }
    return all;
}

}  // namespace

class QuantizedFormsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (qEnvironmentVariableIsSet("TEMPER_RECORD_ORT")) recordOrt(allCases(), kRecord);
    }

    void resultsAreThoseOfOnnxRuntime_data() { addRows(allCases()); }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(int, row);
        QCOMPARE(differenceFromOrt(allCases().at(static_cast<size_t>(row)), kRecord), QString());
    }

    void resultsAreThoseOfTheirParts_data() {
        QTest::addColumn<int>("row");
        const auto all = equivalents();
        for (size_t i = 0; i < all.size(); ++i) QTest::newRow(all[i].name) << static_cast<int>(i);
    }
    void resultsAreThoseOfTheirParts() {
        QFETCH(int, row);
        const Equivalent one = equivalents().at(static_cast<size_t>(row));
        const Tensor found = runOp(trimmed({"", one.opCase}).opCase).at("y");
        OpCase other = one.opCase;
        other.nodes = one.nodes;
        const Tensor expected = runOp(trimmed({"", other}).opCase).at("y");
        QCOMPARE(QString::fromStdString(difference(found, expected, {})), QString());
    }

    void resultsDoNotDependOnThreads_data() { addRows(allCases()); }
    void resultsDoNotDependOnThreads() {
        QFETCH(int, row);
        QVERIFY(isIndependentOfThreads(allCases().at(static_cast<size_t>(row)).opCase));
    }
};

QTEST_GUILESS_MAIN(QuantizedFormsTest)
#include "quantized_forms_test.moc"
