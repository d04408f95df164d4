// SPDX-License-Identifier: Apache-2.0
#include "engine/core/tensor.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/string_tensor.h"

namespace temper::test {

class TensorTest : public QObject {
    Q_OBJECT

private slots:
    void newTensorIsAlignedAndZero();
    void copySharesAndCloneDoesNot();
    void wrappedTensorKeepsItsOwner();
    void emptyWrappedTensorIsCloned();
    void reshapeSharesTheData();
    void reshapeToAnotherSizeIsRefused();
    void valuesOfAnotherTypeAreRefused();
    void wrongNumberOfValuesIsRefused();
    void numbersAreCast_data();
    void numbersAreCast();
    void severalElementsAreNotANumber();
    void castOfStringsIsRefused();
    void aCloneOfTextsOutlivesThem();
    void impossibleSizeIsRefused();
    void hugeSizeIsAnErrorNotACrash();
    void everyTypeHasANameAndASize();
};

void TensorTest::aCloneOfTextsOutlivesThem() {
    Tensor clone;
    {
        const std::vector<std::string> texts{"a text too long to be kept inside of its object", ""};
        const Tensor original = stringTensor({2, 1}, std::span<const std::string>(texts));
        clone = original.reshaped({1, 2}).clone();
        QVERIFY(clone.data() != original.data());
    }
    QCOMPARE(clone.shape(), (Shape{1, 2}));
    QCOMPARE(clone.values<std::string_view>()[0],
             std::string_view("a text too long to be kept inside of its object"));
    QVERIFY(clone.values<std::string_view>()[1].empty());
    QVERIFY(Tensor(DType::String, {1}).values<std::string_view>()[0].empty());
}

void TensorTest::newTensorIsAlignedAndZero() {
    for (const int64_t count : {0, 1, 63, 1000}) {
        const Tensor tensor(DType::Float32, {count});
        QCOMPARE(reinterpret_cast<uintptr_t>(tensor.data()) % 64, uintptr_t{0});
        const auto values = tensor.values<float>();
        QCOMPARE(static_cast<int64_t>(values.size()), count);
        QVERIFY(std::all_of(values.begin(), values.end(), [](float f) { return f == 0; }));
    }
    QVERIFY(Tensor().empty());
    QVERIFY(!Tensor(DType::Float32, {0}).empty());
}

void TensorTest::copySharesAndCloneDoesNot() {
    Tensor original = Tensor::of<float>({2}, {1, 2});
    const Tensor copy = original;
    const Tensor clone = original.clone();
    original.mutableValues<float>()[0] = 5;
    QCOMPARE(copy.values<float>()[0], 5.0F);
    QCOMPARE(clone.values<float>()[0], 1.0F);
    QCOMPARE(clone.shape(), Shape{2});
}

void TensorTest::wrappedTensorKeepsItsOwner() {
    auto owner = std::make_shared<std::array<int32_t, 2>>(std::array<int32_t, 2>{3, 4});
    const std::weak_ptr<void> watch = owner;
    {
        const Tensor tensor = Tensor::wrap(DType::Int32, {2}, owner, owner->data());
        owner.reset();
        const Tensor view = tensor.reshaped({2, 1});
        QVERIFY(!watch.expired());
        QCOMPARE(view.values<int32_t>()[1], 4);
    }
    QVERIFY(watch.expired());
}

void TensorTest::emptyWrappedTensorIsCloned() {
    const Tensor clone = Tensor::wrap(DType::Float32, {0, 3}, nullptr, nullptr).clone();
    QCOMPARE(clone.shape(), (Shape{0, 3}));
}

void TensorTest::reshapeSharesTheData() {
    Tensor tensor = Tensor::of<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor reshaped = tensor.reshaped({3, 2});
    tensor.mutableValues<int64_t>()[5] = 7;
    QCOMPARE(reshaped.values<int64_t>()[5], int64_t{7});
    QCOMPARE(reshaped.shape(), (Shape{3, 2}));
}

void TensorTest::reshapeToAnotherSizeIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::Float32, {6}).reshaped({5}));
}

void TensorTest::valuesOfAnotherTypeAreRefused() {
    const Tensor tensor(DType::Float32, {1});
    QVERIFY_THROWS_EXCEPTION(Error, tensor.values<int32_t>());
    QVERIFY_THROWS_EXCEPTION(Error, tensor.values<double>());
}

void TensorTest::wrongNumberOfValuesIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, Tensor::of<float>({3}, {1, 2}));
}

void TensorTest::numbersAreCast_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<double>("number");
    QTest::addColumn<double>("expected");
    const auto row = [](const char* name, DType from, DType to, double number, double expected) {
        QTest::newRow(name) << static_cast<int>(from) << static_cast<int>(to) << number << expected;
    };
    row("float to int64 cuts off", DType::Float32, DType::Int64, -2.75, -2);
    row("int64 to float", DType::Int64, DType::Float32, 3, 3);
    row("double to float rounds", DType::Float64, DType::Float32, 0.1, 0.1F);
    row("int32 to int8 wraps", DType::Int32, DType::Int8, 257, 1);
    const double infinity = std::numeric_limits<double>::infinity();
    const double int64Max = static_cast<double>(std::numeric_limits<int64_t>::max());
    row("beyond int64", DType::Float32, DType::Int64, 1e30, int64Max);
    row("2^63 is beyond int64", DType::Float32, DType::Int64, int64Max, int64Max);
    row("below int64", DType::Float64, DType::Int64, -1e30, -int64Max);
    row("beyond uint8", DType::Float32, DType::UInt8, 256, 255);
    row("below uint8", DType::Float32, DType::UInt8, -1, 0);
    row("-0.5 to uint8 cuts off", DType::Float32, DType::UInt8, -0.5, 0);
    row("infinity to int32", DType::Float64, DType::Int32, infinity, 2147483647);
    row("not-a-number to int32", DType::Float32, DType::Int32, std::nan(""), 0);
    row("not-a-number to bool", DType::Float32, DType::Bool, std::nan(""), 1);
    row("float to bool", DType::Float32, DType::Bool, 0.5, 1);
    row("bool to float", DType::Bool, DType::Float32, 1, 1);
    row("to float16 rounds", DType::Float64, DType::Float16, 2049, 2048);
    row("to bfloat16 rounds", DType::Float32, DType::BFloat16, 258.5, 258);
    row("float16 of an integer", DType::Int64, DType::Float16, -7, -7);
    row("bfloat16 to float16", DType::BFloat16, DType::Float16, 0.5, 0.5);
    row("same type", DType::UInt8, DType::UInt8, 200, 200);
}

void TensorTest::numbersAreCast() {
    QFETCH(int, from);
    QFETCH(int, to);
    QFETCH(double, number);
    QFETCH(double, expected);
    const Tensor given = Tensor::scalar<double>(number).cast(static_cast<DType>(from));
    const Tensor cast = given.cast(static_cast<DType>(to));
    QCOMPARE(static_cast<int>(cast.dtype()), to);
    QCOMPARE(cast.toDouble(), expected);
}

void TensorTest::severalElementsAreNotANumber() {
    const Tensor two = Tensor::of<float>({2}, {1, 2});
    for (const auto& read :
         {+[](const Tensor& t) { t.toDouble(); }, +[](const Tensor& t) { t.toInt64(); }}) {
        try {
            read(two);
            QFAIL("one of them was taken");
        } catch (const Error& error) {
            QCOMPARE(error.code(), ErrorCode::InvalidInput);
            QCOMPARE(error.what(), "A tensor of shape [2] was found; expected a single number.");
        }
    }
}

void TensorTest::castOfStringsIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::Float32, {1}).cast(DType::String));
    QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::Complex64, {1}).toDouble());
}

void TensorTest::impossibleSizeIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::Float32, {-1}));
    QVERIFY_THROWS_EXCEPTION(Error, Tensor(DType::Float64, {int64_t{1} << 61}));
}

void TensorTest::hugeSizeIsAnErrorNotACrash() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("the sanitizer ends the program instead");
#endif
    try {
        const Tensor tensor(DType::Float32, {int64_t{1} << 58});
        QFAIL("there was memory for 2^60 bytes");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Out of memory: 1152921504606846976 bytes"),
                 error.what());
    }
}

void TensorTest::everyTypeHasANameAndASize() {
    for (int number = 1; number <= 16; ++number) {
        const auto dtype = static_cast<DType>(number);
        const std::optional<DType> found = dtypeFromName(dtypeName(dtype));
        QVERIFY(found == dtype);
        QVERIFY(dtypeSize(dtype) > 0);
    }
    QVERIFY(!dtypeFromName("float33"));
    QCOMPARE(dtypeSize(DType::BFloat16), size_t{2});
    QCOMPARE(dtypeSize(DType::Complex128), size_t{16});
    QVERIFY(isFloating(DType::Float16) && !isFloating(DType::Int32));
    QVERIFY(isInteger(DType::UInt64) && !isInteger(DType::Bool));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TensorTest)
#include "tensor_test.moc"
