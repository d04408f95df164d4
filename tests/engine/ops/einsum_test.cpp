// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <map>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

/// An equation, its form without ellipsis and implicit output, and shapes of the operands.
struct EinsumCase {
    const char* name;
    std::string equation;
    std::string meaning;
    std::vector<Shape> shapes;
};

const std::vector<EinsumCase> kCases = {
    {"copy", "ij->ij", "ij->ij", {{2, 3}}},
    {"transposition", "ij->ji", "ij->ji", {{2, 3}}},
    {"sum of all", "ij->", "ij->", {{2, 3}}},
    {"sum of all, implicit", "ii", "ii->", {{3, 3}}},
    {"sum of rows", "ij->j", "ij->j", {{2, 3}}},
    {"vectors, inner", "i,i", "i,i->", {{4}, {4}}},
    {"vectors, outer", "i,j->ij", "i,j->ij", {{2}, {3}}},
    {"matrices", "ij,jk->ik", "ij,jk->ik", {{2, 3}, {3, 4}}},
    {"matrices, implicit", "ij,jk", "ij,jk->ik", {{2, 3}, {3, 4}}},
    {"implicit output is sorted", "ba", "ba->ab", {{2, 3}}},
    {"both transposed", "ji,kj->ki", "ji,kj->ki", {{3, 2}, {4, 3}}},
    {"spaces", " i j , j k -> i k ", "ij,jk->ik", {{2, 3}, {3, 4}}},
    {"capital letters", "Bij,Bjk->Bik", "Bij,Bjk->Bik", {{2, 2, 3}, {2, 3, 2}}},
    {"batch", "bij,bjk->bik", "bij,bjk->bik", {{2, 2, 3}, {2, 3, 4}}},
    {"attention scores", "bthd,bshd->bhts", "bthd,bshd->bhts", {{2, 3, 2, 2}, {2, 4, 2, 2}}},
    {"attention values", "bhts,bshd->bthd", "bhts,bshd->bthd", {{2, 2, 3, 4}, {2, 4, 2, 2}}},
    {"elementwise", "ij,ij->ij", "ij,ij->ij", {{2, 3}, {2, 3}}},
    {"a sum of one operand only", "ij,k->i", "ij,k->i", {{2, 3}, {4}}},
    {"diagonal", "ii->i", "ii->i", {{3, 3}}},
    {"diagonal of three", "iii->i", "iii->i", {{2, 2, 2}}},
    {"two diagonals", "iijj->ij", "iijj->ij", {{2, 2, 3, 3}}},
    {"trace of products", "ij,ji->", "ij,ji->", {{2, 3}, {3, 2}}},
    {"diagonal times matrix", "ii,ij->j", "ii,ij->j", {{3, 3}, {3, 2}}},
    {"three operands", "ij,jk,kl->il", "ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 4}}},
    {"bilinear", "bi,oij,bj->bo", "bi,oij,bj->bo", {{2, 3}, {2, 3, 2}, {2, 2}}},
    {"four operands", "a,ab,bc,c->", "a,ab,bc,c->", {{2}, {2, 3}, {3, 2}, {2}}},
    {"ellipsis", "...ij,...jk->...ik", "abij,abjk->abik", {{2, 1, 2, 3}, {2, 1, 3, 2}}},
    {"ellipsis, narrower", "...ij,...jk->...ik", "abij,bjk->abik", {{2, 3, 2, 2}, {3, 2, 2}}},
    {"ellipsis, broadcast", "...i,...i->...", "abi,abi->ab", {{2, 1, 3}, {1, 2, 3}}},
    {"ellipsis, implicit", "...ij", "zij->zij", {{2, 2, 3}}},
    {"ellipsis, batch diagonal", "...ii->...i", "abii->abi", {{2, 2, 3, 3}}},
    {"ellipsis of nothing", "...ij->...ji", "ij->ji", {{2, 3}}},
    {"scalars", ",ij->ij", ",ij->ij", {{}, {2, 3}}},
    {"dimension 1, broadcast", "ij,ij->ij", "ij,ij->ij", {{1, 3}, {2, 1}}},
    {"inner dimension 1, broadcast", "ij,jk->ik", "ij,jk->ik", {{2, 1}, {3, 2}}},
    {"dimensions of 1", "ij,jk->ik", "ij,jk->ik", {{1, 1}, {1, 1}}},
};

OpCase caseOf(const EinsumCase& row) {
    OpCase opCase{"y = Einsum<equation = \"" + row.equation + "\">(", {}, 15};
    for (size_t i = 0; i < row.shapes.size(); ++i) {
        const std::string name(1, static_cast<char>('p' + i));
        opCase.nodes += (i > 0 ? ", " : "") + name;
        opCase.feeds.emplace(name, randomTensor(row.shapes[i], 17 + i));
    }
    opCase.nodes += ")";
    return opCase;
}

/// The definition: every combination of letters, one after the other.
class Definition {
public:
    Definition(const std::string& meaning, const OpCase& opCase) {
        const size_t arrow = meaning.find("->");
        output_ = meaning.substr(arrow + 2);
        std::string operand;
        for (const char c : meaning.substr(0, arrow) + ",") {
            if (c != ',') {
                operand += c;
                continue;
            }
            operands_.push_back(operand);
            operand.clear();
        }
        for (const auto& feed : opCase.feeds) tensors_.push_back(feed.second.tensors.front());
        for (size_t i = 0; i < operands_.size(); ++i) {
            for (size_t axis = 0; axis < operands_[i].size(); ++axis) {
                int64_t& size = sizes_.emplace(operands_[i][axis], 1).first->second;
                size = std::max(size, tensors_[i].shape()[axis]);
            }
        }
    }

    Tensor evaluate() {
        Shape shape;
        for (const char letter : output_) shape.push_back(sizes_.at(letter));
        std::vector<double> sums(static_cast<size_t>(numElements(shape)), 0.0);
        addFrom(sizes_.begin(), shape, sums);
        Tensor result(DType::Float32, shape);
        for (size_t i = 0; i < sums.size(); ++i) {
            result.mutableValues<float>()[i] = static_cast<float>(sums[i]);
        }
        return result;
    }

private:
    void addFrom(std::map<char, int64_t>::const_iterator letter, const Shape& shape,
                 std::vector<double>& sums) {
        if (letter == sizes_.end()) {
            double term = 1;
            for (size_t i = 0; i < operands_.size(); ++i) {
                const auto values = tensors_[i].values<float>();
                term *= static_cast<double>(values[position(operands_[i], tensors_[i].shape())]);
            }
            sums[position(output_, shape)] += term;
            return;
        }
        for (int64_t i = 0; i < letter->second; ++i) {
            index_[letter->first] = i;
            addFrom(std::next(letter), shape, sums);
        }
    }

    size_t position(const std::string& letters, const Shape& shape) const {
        int64_t at = 0;
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            const int64_t i = shape[axis] == 1 ? 0 : index_.at(letters[axis]);
            at = at * shape[axis] + i;
        }
        return static_cast<size_t>(at);
    }

    std::vector<std::string> operands_;
    std::string output_;
    std::vector<Tensor> tensors_;
    std::map<char, int64_t> sizes_;
    std::map<char, int64_t> index_;
};

void addCases() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < kCases.size(); ++i) QTest::newRow(kCases[i].name) << static_cast<int>(i);
}

}  // namespace

class EinsumTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"einsum"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void theDefinitionIsFollowed_data() { addCases(); }
    void theDefinitionIsFollowed() {
        QFETCH(int, row);
        const EinsumCase& einsum = kCases.at(static_cast<size_t>(row));
        const OpCase opCase = caseOf(einsum);
        const std::string problem =
            checkOutput(opCase, "y", Definition(einsum.meaning, opCase).evaluate());
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(differenceOfPrecisions(opCase, {1e-5, 1e-6}), std::string());
    }

    void gradientsMatchFiniteDifferences_data() { addCases(); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const std::string problem = checkGradient(caseOf(kCases.at(static_cast<size_t>(row))));
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void integersAreMultiplied() {
        const Tensor x = integerTensor({1, 2, 3, 4, 5, 6}).reshaped({2, 3});
        const OpCase opCase{"y = Einsum<equation = \"ij,kj->ik\">(x, x)", {{"x", x}}, 12};
        const Tensor expected = integerTensor({14, 32, 32, 77}).reshaped({2, 2});
        QCOMPARE(checkOutput(opCase, "y", expected), std::string());
    }

    void sumsOverNothingAreZero() {
        const OpCase opCase{
            "y = Einsum<equation = \"ij,jk->ik\">(a, b)",
            {{"a", Tensor(DType::Float32, {2, 0})}, {"b", Tensor(DType::Float32, {0, 3})}},
            12};
        QCOMPARE(checkOutput(opCase, "y", Tensor(DType::Float32, {2, 3})), std::string());
        const OpCase none{
            "y = Einsum<equation = \"ij,jk->ik\">(a, b)",
            {{"a", Tensor(DType::Float32, {0, 2})}, {"b", Tensor(DType::Float32, {2, 3})}},
            12};
        QCOMPARE(checkOutput(none, "y", Tensor(DType::Float32, {0, 3})), std::string());
    }

    void largeProductsDoNotDependOnThreads() {
        const OpCase opCase{
            "y = Einsum<equation = \"bthd,bshd->bhts\">(q, k)",
            {{"q", randomTensor({2, 40, 4, 33}, 1)}, {"k", randomTensor({2, 50, 4, 33}, 2)}},
            12};
        QVERIFY(isIndependentOfThreads(opCase));
        QCOMPARE(differenceOfPrecisions(opCase, {1e-4, 1e-5}), std::string());
    }

    void wrongEquationsAreNamed_data() {
        QTest::addColumn<QString>("equation");
        QTest::addColumn<QString>("part");
        QTest::newRow("rank") << "ijk,jk->i"
                              << "rank 2";
        QTest::newRow("number of terms") << "ij->i"
                                         << "1 term for 2 operands";
        QTest::newRow("unknown output") << "ij,jk->ix"
                                        << "'x' in its output only";
        QTest::newRow("output twice") << "ij,jk->ii"
                                      << "'i' twice";
        QTest::newRow("sign") << "i+,jk->i"
                              << "'+'";
        QTest::newRow("sizes") << "ij,ik->jk"
                               << "'i'";
        QTest::newRow("ellipsis lost") << "i...,jk->ik"
                                       << "no '...'";
    }
    void wrongEquationsAreNamed() {
        QFETCH(QString, equation);
        QFETCH(QString, part);
        const std::string problem =
            checkOutput({"y = Einsum<equation = \"" + equation.toStdString() + "\">(a, b)",
                         {{"a", randomTensor({2, 3})}, {"b", randomTensor({3, 4})}},
                         12},
                        "y", Tensor());
        QVERIFY2(QString::fromStdString(problem).contains(part), problem.c_str());
    }
};

QTEST_APPLESS_MAIN(EinsumTest)
#include "einsum_test.moc"
