// SPDX-License-Identifier: Apache-2.0
#include "engine/data/augmentation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/random.h"
#include "engine/data/hash.h"

namespace temper {
namespace {

constexpr double kByteRange = 255;
constexpr double kHalfTurn = 180;

/// Of ITU-R BT.601.
constexpr float kLuma[] = {0.299F, 0.587F, 0.114F};

double share(const DataSpec& spec, const char* key, double most) {
    const double value = spec.number(key).value_or(0);
    if (value >= 0 && value <= most) return value;
    throw Error(ErrorCode::InvalidInput, std::string("The data option '") + key + "' is " +
                                             spec.options.at(key) + "; expected 0 to " +
                                             std::to_string(static_cast<int64_t>(most)) + ".");
}

/// A sample as planes of floats, [channels, height, width].
struct Planes {
    int64_t channels = 1;
    int64_t height = 1;
    int64_t width = 1;
    std::span<float> values;

    explicit Planes(const Shape& shape, std::span<float> theValues) : values(theValues) {
        if (shape.size() == 3) channels = shape[0];
        height = shape[shape.size() - 2];
        width = shape.back();
    }
    int64_t pixels() const { return height * width; }
    float* plane(int64_t channel) { return values.data() + channel * pixels(); }
};

/// A number in [-limit, limit).
double drawn(Random& random, double limit) { return limit * (2.0 * random.uniform() - 1); }

/// Maps target coordinates to source coordinates: where the value of a target pixel comes from.
struct Placement {
    double cosine = 1;
    double sine = 0;
    double shiftX = 0;
    double shiftY = 0;
    bool flipX = false;
    bool flipY = false;

    bool isNothing() const { return sine == 0 && shiftX == 0 && shiftY == 0 && !flipX && !flipY; }
};

/// Draws every number whatever the options are, so that one option does not change another.
Placement drawPlacement(const Augmentation& options, Random& random) {
    Placement place;
    place.flipX = random.below(2) == 1 && options.flipHorizontal;
    place.flipY = random.below(2) == 1 && options.flipVertical;
    place.shiftX = static_cast<double>(random.below(2 * options.crop + 1) - options.crop);
    place.shiftY = static_cast<double>(random.below(2 * options.crop + 1) - options.crop);
    const double angle = drawn(random, options.rotate) * std::numbers::pi / kHalfTurn;
    place.cosine = options.rotate > 0 ? std::cos(angle) : 1;
    place.sine = options.rotate > 0 ? std::sin(angle) : 0;
    return place;
}

float pixelAt(const float* plane, const Planes& picture, int64_t x, int64_t y) {
    const bool isInside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
    return isInside ? plane[y * picture.width + x] : 0;
}

/// Interpolates between the four pixels around the position; 0 outside.
float sampleAt(const float* plane, const Planes& picture, double x, double y) {
    const auto left = static_cast<int64_t>(std::floor(x));
    const auto top = static_cast<int64_t>(std::floor(y));
    const auto dx = static_cast<float>(x - static_cast<double>(left));
    const auto dy = static_cast<float>(y - static_cast<double>(top));
    const auto row = [&](int64_t at) {
        return (1 - dx) * pixelAt(plane, picture, left, at) +
               dx * pixelAt(plane, picture, left + 1, at);
    };
    return (1 - dy) * row(top) + dy * row(top + 1);
}

void place(Planes& picture, const Placement& placement) {
    if (placement.isNothing()) return;
    const double centerX = static_cast<double>(picture.width - 1) / 2;
    const double centerY = static_cast<double>(picture.height - 1) / 2;
    std::vector<float> source(static_cast<size_t>(picture.pixels()));
    for (int64_t c = 0; c < picture.channels; ++c) {
        float* plane = picture.plane(c);
        std::copy_n(plane, picture.pixels(), source.begin());
        for (int64_t i = 0; i < picture.pixels(); ++i) {
            const int64_t column = i % picture.width, row = i / picture.width;
            const double x = static_cast<double>(column) - placement.shiftX - centerX;
            const double y = static_cast<double>(row) - placement.shiftY - centerY;
            double fromX = placement.cosine * x + placement.sine * y;
            double fromY = placement.cosine * y - placement.sine * x;
            if (placement.flipX) fromX = -fromX;
            if (placement.flipY) fromY = -fromY;
            plane[i] = sampleAt(source.data(), picture, fromX + centerX, fromY + centerY);
        }
    }
}

void scaleAround(std::span<float> values, float center, float factor) {
    for (float& value : values) value = center + (value - center) * factor;
}

void changeSaturation(Planes& picture, float factor) {
    if (picture.channels < 3) return;
    for (int64_t i = 0; i < picture.pixels(); ++i) {
        float grey = 0;
        for (int64_t c = 0; c < 3; ++c) grey += kLuma[c] * picture.plane(c)[i];
        for (int64_t c = 0; c < 3; ++c) {
            float& value = picture.plane(c)[i];
            value = grey + (value - grey) * factor;
        }
    }
}

float meanOf(std::span<const float> values) {
    double sum = 0;
    for (const float value : values) sum += value;
    return static_cast<float>(sum / static_cast<double>(values.size()));
}

class AugmentedDataset : public DatasetView {
public:
    AugmentedDataset(std::shared_ptr<const Dataset> data, const ColumnAugmentation& augmentation,
                     int64_t epoch)
        : DatasetView(std::move(data)),
          column_(augmentation.column),
          augmentation_(augmentation.options),
          noise_(augmentation.noiseUnit),
          seed_(mixed(augmentation.seed, static_cast<uint64_t>(epoch) + 1)) {}

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        data_->read(column, samples, target);
        if (column != column_) return;
        const Column& info = columns()[column];
        visitDType(info.dtype, [&]<typename T>() {
            T* values = reinterpret_cast<T*>(target);
            const auto count = static_cast<size_t>(info.elementsPerSample());
            for (const int64_t sample : samples) {
                vary(std::span<T>(values, count), sample);
                values += count;
            }
        });
    }

private:
    template <typename T>
    void vary(std::span<T> values, int64_t sample) const {
        std::vector<float> numbers(values.begin(), values.end());
        Random random(mixed(seed_, static_cast<uint64_t>(sample)));
        if (isPicture(columns()[column_])) varyPicture(numbers, random);
        addNoise(numbers, random);
        for (size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::is_same_v<T, uint8_t>) {
                values[i] = static_cast<uint8_t>(std::clamp(numbers[i] + 0.5F, 0.0F, 255.0F));
            } else {
                values[i] = static_cast<T>(numbers[i]);
            }
        }
    }

    void varyPicture(std::span<float> values, Random& random) const {
        Planes picture(columns()[column_].shape, values);
        place(picture, drawPlacement(augmentation_, random));
        const auto factor = [&](double limit) {
            return static_cast<float>(1 + drawn(random, limit));
        };
        const float brightness = factor(augmentation_.brightness);
        const float contrast = factor(augmentation_.contrast);
        const float saturation = factor(augmentation_.saturation);
        if (brightness != 1) scaleAround(values, 0, brightness);
        if (contrast != 1) scaleAround(values, meanOf(values), contrast);
        if (saturation != 1) changeSaturation(picture, saturation);
    }

    void addNoise(std::span<float> values, Random& random) const {
        if (augmentation_.noise == 0) return;
        for (size_t i = 0; i < values.size(); ++i) {
            const double deviation = augmentation_.noise * noise_[i % noise_.size()];
            values[i] += static_cast<float>(deviation) * random.normal();
        }
    }

    size_t column_;
    Augmentation augmentation_;
    std::vector<double> noise_;
    uint64_t seed_;
};

}  // namespace

Augmentation augmentationOf(const DataSpec& spec) {
    Augmentation result;
    if (spec.options.contains("flip")) {
        const std::string flip = spec.choice("flip", {"none", "horizontal", "vertical", "both"});
        result.flipHorizontal = flip == "horizontal" || flip == "both";
        result.flipVertical = flip == "vertical" || flip == "both";
    }
    result.crop = spec.integer("crop", 0).value_or(0);
    constexpr int64_t kMaxCrop = 4096;
    if (result.crop > kMaxCrop) share(spec, "crop", kMaxCrop);
    result.rotate = share(spec, "rotate", kHalfTurn);
    result.noise = share(spec, "noise", 10);
    result.brightness = share(spec, "brightness", 1);
    result.contrast = share(spec, "contrast", 1);
    result.saturation = share(spec, "saturation", 1);
    return result;
}

bool isPicture(const Column& column) {
    const Shape& shape = column.shape;
    if (shape.size() == 2) return !column.isTarget && shape[0] > 1 && shape[1] > 1;
    if (shape.size() != 3 || column.isTarget) return false;
    return shape[0] == 1 || shape[0] == 3 || shape[0] == 4;
}

ColumnAugmentation prepareAugmentation(const Dataset& data, size_t column,
                                       const Augmentation& options, uint64_t seed) {
    ColumnAugmentation result{column, options, seed, {kByteRange}};
    const Column& info = data.columns()[column];
    if (options.noise == 0 || info.dtype == DType::UInt8) return result;
    const bool isTable = info.shape.size() == 1 && info.shape[0] > 0;
    result.noiseUnit = measureNormalization(data, column, isTable ? info.shape[0] : 1).deviation;
    return result;
}

std::shared_ptr<const Dataset> augmented(std::shared_ptr<const Dataset> data,
                                         const ColumnAugmentation& augmentation, int64_t epoch) {
    return std::make_shared<AugmentedDataset>(std::move(data), augmentation, epoch);
}

}  // namespace temper
