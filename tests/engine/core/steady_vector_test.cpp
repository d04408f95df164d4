// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/steady_vector.h"

namespace temper::test {

constexpr size_t kCount = 1000;

class SteadyVectorTest : public QObject {
    Q_OBJECT

private slots:
    void elementsStayWhereTheyAre();
    void elementsMoveWithTheirOwner();
    void elementsAreDestroyedOnce();
};

void SteadyVectorTest::elementsStayWhereTheyAre() {
    SteadyVector<size_t> numbers;
    std::vector<const size_t*> places;
    for (size_t i = 0; i < kCount; ++i) places.push_back(&numbers.emplaceBack(i));
    QCOMPARE(numbers.size(), kCount);
    for (size_t i = 0; i < kCount; ++i) {
        QCOMPARE(&numbers[i], places[i]);
        QCOMPARE(numbers[i], i);
    }
}

void SteadyVectorTest::elementsMoveWithTheirOwner() {
    SteadyVector<size_t> first;
    const size_t* place = &first.emplaceBack(size_t{7});
    SteadyVector<size_t> second = std::move(first);
    QCOMPARE(&second[0], place);
    second = SteadyVector<size_t>();
    QCOMPARE(second.size(), size_t{0});
}

void SteadyVectorTest::elementsAreDestroyedOnce() {
    const auto shared = std::make_shared<int>(1);
    {
        SteadyVector<std::shared_ptr<int>> holders;
        for (size_t i = 0; i < kCount; ++i) holders.emplaceBack(shared);
        QCOMPARE(shared.use_count(), static_cast<long>(kCount) + 1);
    }
    QCOMPARE(shared.use_count(), 1L);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SteadyVectorTest)
#include "steady_vector_test.moc"
