// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/translation/languages.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>
#include <memory>

/// Links the translations, which are in a static library. Must be outside any namespace.
static void initTranslations() { Q_INIT_RESOURCE(translations); }

namespace temper::ui {
namespace {

constexpr auto kFolder = ":/translations";
constexpr auto kPrefix = "temper_";
constexpr auto kSuffix = ".qm";
constexpr auto kKey = "language";
constexpr auto kTranslator = "languageTranslator";
constexpr auto kEnglish = "en";

QStringList languageCodes() {
    initTranslations();
    QStringList codes;
    const QStringList files = QDir(kFolder).entryList({QString(kPrefix) + '*' + kSuffix});
    for (const QString& file : files)
        codes << file.chopped(QString(kSuffix).size()).mid(QString(kPrefix).size());
    return codes;
}

bool load(QTranslator& translator, const QString& code) {
    return translator.load(kPrefix + code, kFolder);
}

/// Every translation contains its own name.
QString nameOf(const QString& code) {
    //: The name of the language of this translation, in itself.
    constexpr const char* name = QT_TRANSLATE_NOOP("Language", "English");
    QTranslator translator;
    const QString own = load(translator, code) ? translator.translate("Language", name) : QString();
    return own.isEmpty() ? QString::fromLatin1(name) : own;
}

template <typename Load>
void install(QCoreApplication& application, Load load) {
    auto translator = std::make_unique<QTranslator>();
    if (!load(*translator)) return;
    translator->setObjectName(kTranslator);
    translator->setParent(&application);
    application.installTranslator(translator.release());
}

void removeLanguage(QCoreApplication& application) {
    for (QTranslator* each : application.findChildren<QTranslator*>(kTranslator)) delete each;
    QLocale::setDefault(QLocale::system());
}

}  // namespace

std::vector<Language> languages() {
    std::vector<Language> found;
    for (const QString& code : languageCodes()) found.push_back({code, nameOf(code)});
    return found;
}

QString chosenLanguage(const QSettings& settings) { return settings.value(kKey).toString(); }

void chooseLanguage(QSettings& settings, const QString& code) { settings.setValue(kKey, code); }

QString shownLanguage(const QString& chosen) {
    const QStringList codes = languageCodes();
    const QStringList wishes =
        chosen.isEmpty() ? QLocale::system().uiLanguages() : QStringList{chosen};
    for (const QString& wish : wishes)
        for (const QString& name : {QLocale(wish).name(), wish.section('-', 0, 0)})
            if (codes.contains(name)) return name;
    return QString::fromLatin1(kEnglish);
}

void installLanguage(QCoreApplication& application, const QString& chosen) {
    removeLanguage(application);
    const QString code = shownLanguage(chosen);
    if (!chosen.isEmpty()) QLocale::setDefault(QLocale(code));
    install(application, [&](QTranslator& translator) {
        return translator.load(QStringLiteral("qtbase_") + code,
                               QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    });
    install(application, [&](QTranslator& translator) { return load(translator, code); });
}

}  // namespace temper::ui
