// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/transposition.h"

#include <QTest>
#include <vector>

using namespace temper;

class TranspositionTest : public QObject {
    Q_OBJECT

private slots:
    void eachElementGoesToItsPlace_data() {
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("columns");
        for (const qint64 rows : {0, 1, 3, 4, 5, 8, 33}) {
            for (const qint64 columns : {0, 1, 3, 4, 15, 16, 17, 20, 50})
                QTest::addRow("%lld x %lld", rows, columns) << rows << columns;
        }
    }
    void eachElementGoesToItsPlace() {
        QFETCH(qint64, rows);
        QFETCH(qint64, columns);
        const int64_t stride = columns + 3;
        std::vector<float> from(static_cast<size_t>(rows * stride));
        for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
        constexpr float kUntouched = -1;
        for (const int64_t gap : {0, 2}) {
            const int64_t toStride = rows + gap;
            std::vector<float> to(static_cast<size_t>(columns * toStride + 1), kUntouched);
            transposeMatrix(from.data(), stride, rows, columns, to.data(), toStride);
            for (int64_t column = 0; column < columns; ++column) {
                for (int64_t row = 0; row < toStride; ++row)
                    QCOMPARE(to[static_cast<size_t>(column * toStride + row)],
                             row < rows ? static_cast<float>(row * stride + column) : kUntouched);
            }
            QCOMPARE(to.back(), kUntouched);
        }
    }
};

QTEST_GUILESS_MAIN(TranspositionTest)
#include "transposition_test.moc"
