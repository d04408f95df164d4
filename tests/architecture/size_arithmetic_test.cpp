// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <set>
#include <string>

#include "tests/architecture/source_tree.h"

namespace temper::test {

/// Sizes of a model may be any number: code calculates with them by engine/ir/dim_arithmetic.h or
/// engine/core/checked.h, whose results fit into 64 bits or are refused.
class SizeArithmeticTest : public QObject {
    Q_OBJECT

private slots:
    void sizesAreCalculatedByFunctions();
    void arithmeticIsFoundInSourceText_data();
    void arithmeticIsFoundInSourceText();
};

/// Lines whose numbers are bounded by a check before, or no sizes.
static const std::set<QString> kAllowed = {
    // The functions themselves.
    "return dim.isNumber() ? Dim::of(dim.value / divisor) : Dim::unknown();",
    "return divisor >= 1 && (!dim.isNumber() || dim.value % divisor == 0);",
    // The rules for integers of shapes under construction: 0 and -1 are handled before.
    "if (known(a, b) && *b.value != 0) return SymbolicInt::of(*a.value / *b.value);",
    "const int64_t remainder = *a.value % *b.value;",
    "return SymbolicInt::of(otherSide ? remainder + *b.value : remainder);",
    // The length of index tuples is at most a rank.
    "const auto addressed = static_cast<int64_t>(batchDims) + indices->back().value;",
    // Known to be at least 0.
    "const int64_t steps = spatial[i].isNumber() ? spatial[i].value - 1 : 0;",
    // Sizes of MaxUnpool for inputs of 1 and 2 elements.
    "steps.push_back(second[i].value - first[i].value);",
    "starts.push_back(first[i].value - steps.back());",
    // A Var.
    "const Var base = floorOf(position.value), t = position.value - base;",
};

/// Whether a line adds, subtracts, multiplies or divides the member `value` of something.
static bool calculatesWithValue(const QString& line) {
    static const QRegularExpression left(R"((\.|->)value [-+*/%]=? )");
    static const QRegularExpression right(
        R"([\w)\]] [-+*/%]=? \(*\*?[A-Za-z_]\w*((\.|->)\w+|\)|\[[^\]]*\]|\([^()]*\))*(\.|->)value\b(?!\())");
    static const QRegularExpression leading(
        R"(^[-+*/%] \(?\*?[A-Za-z_][\w.]*(\.|->)value\b(?!\())");
    return left.match(line).hasMatch() || right.match(line).hasMatch() ||
           leading.match(line).hasMatch();
}

static bool isComment(const QString& line) { return line.startsWith("//"); }

void SizeArithmeticTest::sizesAreCalculatedByFunctions() {
    QStringList problems;
    size_t files = 0;
    for (const SourceFile& source : sourceFilesBelow(TEMPER_SOURCE_DIR, "engine")) {
        ++files;
        QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/") + QString::fromStdString(source.path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        int number = 0;
        for (const QString& whole : QString::fromUtf8(file.readAll()).split('\n')) {
            ++number;
            const QString line = whole.trimmed();
            if (isComment(line) || !calculatesWithValue(line) || kAllowed.contains(line)) continue;
            problems << QString("%1:%2: %3")
                            .arg(QString::fromStdString(source.path))
                            .arg(number)
                            .arg(line);
        }
    }
    QVERIFY2(files > 100, "the sources were not found");
    QVERIFY2(problems.isEmpty(),
             qPrintable("Use engine/ir/dim_arithmetic.h:\n    " + problems.join("\n    ")));
}

void SizeArithmeticTest::arithmeticIsFoundInSourceText_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<bool>("isFound");
    const auto row = [](const char* line, bool isFound) {
        QTest::newRow(line) << QString(line) << isFound;
    };
    row("return Dim::of(shape->back().value * heads);", true);
    row("return Dim::of(heads * shape->back().value);", true);
    row("total += dim.value;", true);
    row("if (found.value == expected.value * factor) return;", true);
    row("const int64_t size = (*shape)[i].value + begin;", true);
    row("return a + (*shape)[i].value;", true);
    row("const int64_t size = first + sizes[i].value;", true);
    row("+ dim.value;", true);
    row("if (dim.value % 2 != 0) {", true);
    row("context.fail(std::to_string(dim.value) + \".\");", false);
    row("if (shape[rank - 1].value == 1) return true;", false);
    row("if (!is(*part.value)) return;", false);
    row("rate = (model.variable(rate) / (steps + one)).value();", false);
    row("const Dim sum = sumOf(a, b.value);", false);
}

void SizeArithmeticTest::arithmeticIsFoundInSourceText() {
    QFETCH(QString, line);
    QFETCH(bool, isFound);
    QCOMPARE(calculatesWithValue(line), isFound);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SizeArithmeticTest)
#include "size_arithmetic_test.moc"
