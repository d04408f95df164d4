// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/training/fixtures.h"

#include <QFile>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"

namespace temper::test {

std::filesystem::path conformanceFolder() { return std::filesystem::path(TEMPER_CONFORMANCE_DIR); }

QJsonObject readJson(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) throw Error(ErrorCode::NotFound, path.string());
    return QJsonDocument::fromJson(file.readAll()).object();
}

std::shared_ptr<const OpSet> allOps() {
    static const auto kOps = std::make_shared<const OpSet>(standardOps());
    return kOps;
}

namespace {

Tensor slice(const Tensor& array, int64_t step) {
    Shape shape(array.shape().begin() + 1, array.shape().end());
    Tensor result(array.dtype(), shape);
    const int64_t index = step % array.shape().front();
    std::memcpy(result.mutableData(), array.data() + static_cast<size_t>(index) * result.byteSize(),
                result.byteSize());
    return result;
}

}  // namespace

std::vector<Tensor> feedsOf(TrainingSession& session, const Arrays& arrays, int64_t step,
                            bool training) {
    std::vector<Tensor> feeds;
    for (const std::string& name : session.inputNames(training)) {
        const ValueType type = session.inputType(name);
        Tensor feed = arrays.at(name);
        if (feed.rank() == type.rank() + 1) feed = slice(feed, step);
        if (feed.dtype() != type.dtype) feed = feed.cast(type.dtype);
        feeds.push_back(std::move(feed));
    }
    return feeds;
}

TorchFixture::TorchFixture(const std::string& fixture)
    : name(fixture), folder(conformanceFolder() / "torch" / fixture) {
    model = loadModel(folder / "model.onnx");
    data = readNpz(folder / "data.npz");
    golden = readNpz(folder / "golden.npz");
    meta = readJson(folder / "meta.json");
}

Selection TorchFixture::optimizer(const std::string& name) {
    if (name == "adamw") return {"adamw-torch", {}};
    if (name == "adamw_hf") return {"adamw", {}};
    return {"sgd", {}};
}

float TorchFixture::learningRate(const std::string& optimizer) {
    return optimizer == "sgd" ? 0.01F : 0.001F;
}

ArtifactSpec TorchFixture::spec(const std::string& optimizerName) const {
    static const std::map<QString, const char*> kLosses = {
        {"CrossEntropyLoss", "cross-entropy"},
        {"MSELoss", "mse"},
        {"L1Loss", "l1"},
        {"BCEWithLogitsLoss", "bce-with-logits"}};
    ArtifactSpec spec;
    spec.loss = {kLosses.at(meta["loss"]["type"].toString()), {}};
    spec.lossInputs = {"output", meta["loss"]["target"].toString().toStdString()};
    spec.optimizer = optimizer(optimizerName);
    return spec;
}

double TorchFixture::noise(const QStringList& keys) const {
    QJsonValue value = meta["noise"];
    for (const QString& key : keys) value = value.toObject()[key];
    return value.toDouble(0);
}

double worstRatio(const Tensor& actual, const Tensor& expected, double atol, double rtol) {
    if (actual.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
    const Tensor a = actual.cast(DType::Float64);
    const Tensor b = expected.cast(DType::Float64);
    double worst = 0;
    for (size_t i = 0; i < static_cast<size_t>(a.numElements()); ++i) {
        const double x = a.values<double>()[i];
        const double y = b.values<double>()[i];
        const double ratio = std::abs(x - y) / (atol + rtol * std::abs(y));
        if (std::isnan(ratio)) {
            if (std::isnan(x) && std::isnan(y)) continue;
            return std::numeric_limits<double>::infinity();
        }
        worst = std::max(worst, ratio);
    }
    return worst;
}

}  // namespace temper::test
