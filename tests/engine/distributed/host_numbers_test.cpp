// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/host_numbers.h"

#include <QTest>
#include <vector>

#include "tests/support/reference_device.h"

using namespace temper;
using namespace temper::test;

namespace {

std::vector<float> valuesOf(const Tensor& tensor) {
    const Tensor numbers = tensor.onHost();
    const auto values = numbers.values<float>();
    return {values.begin(), values.end()};
}

}  // namespace

class HostNumbersTest : public QObject {
    Q_OBJECT

private slots:
    void thoseOfTheHostAreNotCopied() {
        const Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
        const HostNumbers numbers(tensor, 6);
        QVERIFY(!numbers.areCopies());
        QCOMPARE(reinterpret_cast<std::byte*>(numbers.data()), tensor.address());
        numbers.data()[4] = 7;
        numbers.fetch({0, 6});
        QCOMPARE(valuesOf(tensor), (std::vector<float>{1, 2, 3, 4, 7, 6}));
        numbers.store({0, 6});
        QCOMPARE(valuesOf(numbers.part({3, 5})), (std::vector<float>{4, 7}));
    }

    void thoseOfADeviceAreCopiedInParts() {
        const KernelRegistry kernels;
        ReferenceDevice device(kernels, 1);
        Tensor tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}).in(device.memory());
        const HostNumbers numbers(tensor, 6);
        QVERIFY(numbers.areCopies());
        const auto copies = [&numbers] { return std::vector(numbers.data(), numbers.data() + 6); };
        QCOMPARE(copies(), (std::vector<float>{0, 0, 0, 0, 0, 0}));
        numbers.fetch({1, 3});
        QCOMPARE(copies(), (std::vector<float>{0, 2, 3, 0, 0, 0}));
        numbers.data()[0] = 8;
        numbers.data()[2] = 9;
        numbers.store({2, 3});
        QCOMPARE(valuesOf(tensor), (std::vector<float>{1, 2, 9, 4, 5, 6}));
        device.scale(tensor, 2);  // before what is copied next
        numbers.fetch({4, 6});
        QCOMPARE(copies(), (std::vector<float>{8, 2, 9, 0, 10, 12}));
        QVERIFY(!numbers.part({4, 6}).isOnHost());
        QCOMPARE(valuesOf(numbers.part({4, 6})), (std::vector<float>{10, 12}));
        numbers.fetch({6, 6});
    }

    /// As the gradients of a session do, whose tensors are neighbours.
    void theyReachBeyondTheFirstTensor() {
        const KernelRegistry kernels;
        ReferenceDevice device(kernels, 1);
        const Tensor all = Tensor::of<float>({4}, {1, 2, 3, 4}).in(device.memory());
        const HostNumbers numbers(partOf(all, {1, 2}), 3);
        numbers.fetch({0, 3});
        QCOMPARE(std::vector(numbers.data(), numbers.data() + 3), (std::vector<float>{2, 3, 4}));
    }
};

QTEST_APPLESS_MAIN(HostNumbersTest)
#include "host_numbers_test.moc"
