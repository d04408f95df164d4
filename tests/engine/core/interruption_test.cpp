// SPDX-License-Identifier: Apache-2.0
#include "engine/core/interruption.h"

#include <QTest>
#include <thread>

namespace temper {

class InterruptionTest : public QObject {
    Q_OBJECT

private slots:
    void withoutAScopeNothingEnds() { InterruptionScope::check(); }

    void aScopeEndsWorkOnRequest() {
        bool isRequested = false;
        const InterruptionScope scope([&] { return isRequested; });
        InterruptionScope::check();
        isRequested = true;
        QVERIFY_EXCEPTION_THROWN(InterruptionScope::check(), Interrupted);
    }

    void anOuterScopeEndsTheWorkOfAnInnerOne() {
        const InterruptionScope outer([] { return true; });
        {
            const InterruptionScope inner([] { return false; });
            QVERIFY_EXCEPTION_THROWN(InterruptionScope::check(), Interrupted);
        }
        QVERIFY_EXCEPTION_THROWN(InterruptionScope::check(), Interrupted);
    }

    void aScopeThatIsGoneEndsNothing() {
        {
            const InterruptionScope scope([] { return true; });
        }
        InterruptionScope::check();
    }

    void otherThreadsContinue() {
        const InterruptionScope scope([] { return true; });
        std::thread([] { InterruptionScope::check(); }).join();  // std::terminate if it throws
    }
};

}  // namespace temper

using temper::InterruptionTest;
QTEST_APPLESS_MAIN(InterruptionTest)
#include "interruption_test.moc"
