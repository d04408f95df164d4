// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <map>

#include "engine/core/small_types.h"
#include "engine/data/npz_file.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Results of ml_dtypes, from make_small_types_golden.py beside this file.
const std::map<std::string, Tensor>& golden() {
    static const std::map<std::string, Tensor> kArrays =
        readNpz(std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/small_types.npz");
    return kArrays;
}

bool isSame(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

OpCase castCase(const Tensor& x, const std::string& attributes) {
    return {"y = Cast<" + attributes + ">(x)", {{"x", x}}, 25};
}

}  // namespace

/// Element types below 16 bits compared with ml_dtypes.
class SmallTypesTest : public QObject {
    Q_OBJECT

private slots:
    void codesAreNumbers_data() {
        QTest::addColumn<QString>("type");
        for (const auto& [key, tensor] : golden()) {
            const QString name = QString::fromStdString(key);
            if (name.endsWith("/numbers")) QTest::newRow(key.c_str()) << name.section('/', 0, 0);
        }
    }
    void codesAreNumbers() {
        QFETCH(QString, type);
        const DType dtype = *dtypeFromName(type.toStdString());
        const auto numbers = golden().at(type.toStdString() + "/numbers").values<float>();
        for (size_t code = 0; code < numbers.size(); ++code) {
            const float found = floatFromCode(dtype, static_cast<uint8_t>(code));
            QVERIFY2(isSame(found, numbers[code]), qPrintable(QString::number(code)));
            const uint8_t back = codeFromFloat(dtype, found);
            if (!std::isnan(found) && !std::isinf(found)) QCOMPARE(size_t{back}, code);
        }
    }

    void numbersAreRounded_data() {
        QTest::addColumn<QString>("type");
        for (const auto& [key, tensor] : golden()) {
            const QString name = QString::fromStdString(key);
            if (name.endsWith("/x")) QTest::newRow(key.c_str()) << name.section('/', 0, 0);
        }
    }
    void numbersAreRounded() {
        QFETCH(QString, type);
        const std::string name = type.toStdString();
        const DType dtype = *dtypeFromName(name);
        const std::string to = "to = " + std::to_string(static_cast<int>(dtype));
        const Tensor& x = golden().at(name + "/x");
        const Tensor kept = runOp(castCase(x, to)).at("y");
        const Tensor open = runOp(castCase(x, to + ", saturate = 0")).at("y");
        for (int64_t i = 0; i < x.numElements(); ++i) {
            const auto at = static_cast<size_t>(i);
            const auto same = [&](const Tensor& found, const char* key) {
                const auto wanted = golden().at(name + key).values<uint8_t>()[at];
                return isSame(floatFromCode(dtype, std::to_integer<uint8_t>(found.data()[i])),
                              floatFromCode(dtype, wanted));
            };
            const QByteArray number = QByteArray::number(x.values<float>()[at], 'g', 9);
            QVERIFY2(same(kept, "/codes"), number);
            QVERIFY2(same(open, "/open"), number);
        }
    }

    void integersAreCutToTheirBits() {
        const Tensor x = integerTensor({-9, -8, -1, 0, 7, 8, 15, 16});
        const auto as = [&](DType dtype) {
            const Tensor y = runOp(castCase(x, "to = " + std::to_string(static_cast<int>(dtype))))
                                 .at("y")
                                 .cast(DType::Int64);
            return std::vector<int64_t>(y.values<int64_t>().begin(), y.values<int64_t>().end());
        };
        QCOMPARE(as(DType::Int4), (std::vector<int64_t>{7, -8, -1, 0, 7, -8, -1, 0}));
        QCOMPARE(as(DType::UInt4), (std::vector<int64_t>{7, 8, 15, 0, 7, 8, 15, 0}));
        QCOMPARE(as(DType::Int2), (std::vector<int64_t>{-1, 0, -1, 0, -1, 0, -1, 0}));
        QCOMPARE(as(DType::UInt2), (std::vector<int64_t>{3, 0, 3, 0, 3, 0, 3, 0}));
    }

    void elementsArePacked() {
        const Tensor x = toSmall(integerTensor({1, 2, 3, 0, 1}), DType::UInt2);
        const std::vector<std::byte> bytes = packed(x);
        QCOMPARE(bytes.size(), size_t{2});
        QCOMPARE(std::to_integer<int>(bytes[0]), 1 | 2 << 2 | 3 << 4);
        QCOMPARE(std::to_integer<int>(bytes[1]), 1);
        const Tensor six =
            toSmall(Tensor::of<float>({5}, {1, -2, 0.5F, 7, -0.25F}), DType::Float6E2M3);
        QCOMPARE(packed(six).size(), size_t{4});
        const Tensor back = unpacked(DType::Float6E2M3, {5}, packed(six));
        QVERIFY(std::equal(six.data(), six.data() + 5, back.data()));
    }

    /// Moving elements does not depend on their type.
    void elementsAreMoved() {
        const Tensor x = toSmall(integerTensor({1, -2, 3, 0, -5, 7}), DType::Int4).reshaped({2, 3});
        const Results found =
            runOp({"y = Transpose<perm = [1, 0]>(x) z = Identity(y)", {{"x", x}}, 25});
        const Tensor z = found.at("z").cast(DType::Int64);
        QCOMPARE(z.shape(), (Shape{3, 2}));
        QCOMPARE(std::vector<int64_t>(z.values<int64_t>().begin(), z.values<int64_t>().end()),
                 (std::vector<int64_t>{1, 0, -2, -5, 3, 7}));
    }
};

QTEST_APPLESS_MAIN(SmallTypesTest)
#include "small_types_test.moc"
