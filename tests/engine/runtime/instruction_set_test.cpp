// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/instruction_set.h"

#include <hwy/targets.h>

#include <QTest>
#include <oneapi/dnnl/dnnl.hpp>

#include "engine/core/error.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/device.h"

using namespace temper;

/// One limit per process: the first valid one.
class InstructionSetTest : public QObject {
    Q_OBJECT

private slots:
    void anUnknownSetIsRefusedByName() {
        qputenv("TEMPER_MAX_CPU_ISA", "avx3");
        try {
            limitInstructionSet();
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("'avx3'"), error.what());
            QVERIFY2(QString::fromStdString(error.hint()).contains("avx512_core"),
                     error.hint().c_str());
        }
    }

    void theKernelsOfTheStandardOperatorsKeepToTheLimit() {
        qputenv("TEMPER_MAX_CPU_ISA", "avx2");
        standardOps();
        QCOMPARE(hwy::SupportedTargets() & (HWY_AVX2 - 1), int64_t{0});
        const dnnl::cpu_isa used = dnnl::get_effective_cpu_isa();
        QVERIFY(used == dnnl::cpu_isa::avx2 || used == dnnl::cpu_isa::avx ||
                used == dnnl::cpu_isa::sse41);
        qputenv("TEMPER_MAX_CPU_ISA", "all");
        limitInstructionSet();  // comes too late and is ignored without a message
        QCOMPARE(hwy::SupportedTargets() & (HWY_AVX2 - 1), int64_t{0});
    }

    /// Comes last: the limit above holds.
    void bfloat16IsRefusedBeyondTheLimit() {
        QVERIFY(bfloat16Units() == BFloat16Units::None);
        try {
            requireBFloat16("cpu");
            QFAIL("it was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.code(), ErrorCode::Unsupported);
            const QString text = error.what();
            QVERIFY2(text.contains(QString::fromStdString(instructionSetName())) &&
                         text.contains("AVX512_BF16"),
                     error.what());
            QVERIFY2(QString::fromStdString(error.hint()).contains("fp32"), error.hint().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(InstructionSetTest)
#include "instruction_set_test.moc"
