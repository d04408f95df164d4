// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/capture_module.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonObject>
#include <QPluginLoader>
#include <utility>

namespace temper::ui {

CaptureModule::CaptureModule(QString file, QObject* parent)
    : QObject(parent), file_(std::move(file)) {}

CaptureModule::~CaptureModule() = default;

QString CaptureModule::installedFile() {
    return QDir::cleanPath(QCoreApplication::applicationDirPath() +
                           QStringLiteral("/../lib/temper-studio/media.so"));
}

bool CaptureModule::isInstalled() const { return devices_ != nullptr || QFileInfo::exists(file_); }

QString CaptureModule::whatToInstall() {
    return tr("Install the package temper-studio-media to use a camera or a microphone.");
}

CaptureDevices* CaptureModule::devices() {
    if (devices_) return devices_.get();
    if (!isInstalled()) {
        obstacle_ = whatToInstall();
        return nullptr;
    }
    QPluginLoader loader(file_);
    const QString made = loader.metaData().value(QStringLiteral("IID")).toString();
    if (!made.isEmpty() && made != QLatin1String(TEMPER_CAPTURE_INTERFACE)) {
        obstacle_ =
            tr("The package temper-studio-media belongs to another version of this program. "
               "Install the same version of both.");
        return nullptr;
    }
    auto* provider = qobject_cast<CaptureProvider*>(loader.instance());
    if (provider == nullptr) {
        obstacle_ =
            tr("The package temper-studio-media could not be loaded: %1").arg(loader.errorString());
        return nullptr;
    }
    use(provider->devices());
    return devices_.get();
}

void CaptureModule::use(std::unique_ptr<CaptureDevices> devices) {
    devices_ = std::move(devices);
    obstacle_.clear();
    devices_->watch([this] { emit changed(); });
}

}  // namespace temper::ui
