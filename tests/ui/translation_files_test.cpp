// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QResource>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "engine/provenance/reasons.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/languages.h"
#include "ui/translation/tr.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr auto kSources = TEMPER_SOURCE_DIR;
constexpr auto kFolder = TEMPER_SOURCE_DIR "/resources/translations";

struct Message {
    QString source;
    QStringList forms;  ///< several if the text depends on a number
    QString state;      ///< "unfinished", "vanished", "obsolete" or empty
    bool isPlural = false;
};

Message readMessage(QXmlStreamReader& xml) {
    Message message;
    message.isPlural = xml.attributes().value("numerus") == QLatin1String("yes");
    while (xml.readNextStartElement()) {
        if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            message.state = xml.attributes().value("type").toString();
            if (!message.isPlural) {
                message.forms << xml.readElementText();
                continue;
            }
            while (xml.readNextStartElement()) message.forms << xml.readElementText();
        } else {
            xml.skipCurrentElement();
        }
    }
    return message;
}

std::vector<Message> readMessages(const QString& path) {
    QFile file(path);
    std::vector<Message> messages;
    if (!file.open(QIODevice::ReadOnly)) return messages;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement &&
            xml.name() == QLatin1String("message"))
            messages.push_back(readMessage(xml));
    return messages;
}

QStringList found(const QString& text, const QString& pattern) {
    QStringList all;
    auto matches = QRegularExpression(pattern).globalMatch(text);
    while (matches.hasNext()) all << matches.next().captured();
    all.sort();
    return all;
}

/// The numbers of %1, %2, ...; each as often as it occurs.
QStringList placeholders(const QString& text) { return found(text, "%L?[1-9]"); }

int mnemonics(const QString& text) {
    return static_cast<int>(found(QString(text).remove("&&"), "&\\w").size());
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList translationFiles() {
    return QDir(kFolder).entryList({"temper_*.ts"}, QDir::Files, QDir::Name);
}

}  // namespace

/// The files of resources/translations compared with the sources, and with what the program loads.
class TranslationFilesTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { installLanguage(*qApp, QString()); }

    /// File times would make two builds of one source differ.
    void resourcesHoldNoTimes_data() {
        installLanguage(*qApp, "de");
        QTest::addColumn<QString>("path");
        for (const char* folder : {":/translations", ":/icons"}) {
            for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files))
                QTest::newRow(qPrintable(file.filePath())) << file.filePath();
        }
    }
    void resourcesHoldNoTimes() {
        QFETCH(QString, path);
        QVERIFY(QResource(path).size() > 0);
        QVERIFY(!QResource(path).lastModified().isValid());
    }

    void everyTextIsTranslated_data() { addFiles(); }
    void everyTextIsTranslated() {
        QFETCH(QString, path);
        const std::vector<Message> messages = readMessages(path);
        QVERIFY(!messages.empty());
        for (const Message& message : messages) {
            QVERIFY2(message.state.isEmpty(), qPrintable(message.state + ": " + message.source));
            for (const QString& form : message.forms)
                QVERIFY2(!form.trimmed().isEmpty(), qPrintable(message.source));
        }
    }

    void reasonsOfParametersAreTranslated_data() {
        QTest::addColumn<QString>("reason");
        for (const char* reason : reasons::kAll) QTest::newRow(reason) << reason;
    }
    void reasonsOfParametersAreTranslated() {
        QFETCH(QString, reason);
        installLanguage(*qApp, "de");
        QVERIFY(engineText(reason.toStdString()) != reason);
    }

    void translationsAreBuiltAsTheirSources_data() { addFiles(); }
    void translationsAreBuiltAsTheirSources() {
        QFETCH(QString, path);
        for (const Message& message : readMessages(path)) {
            for (const QString& form : message.forms) {
                const QByteArray both = (message.source + " -> " + form).toUtf8();
                QVERIFY2(placeholders(form) == placeholders(message.source), both);
                QVERIFY2(mnemonics(form) == mnemonics(message.source), both);
                QVERIFY2(form.endsWith("…") == message.source.endsWith("…"), both);
                QVERIFY2(found(form, "\\*\\.\\w+|\\*\\w+\\*") ==
                             found(message.source, "\\*\\.\\w+|\\*\\w+\\*"),
                         both);  // from file dialogs
                QVERIFY2(found(form, "</?\\w+>") == found(message.source, "</?\\w+>"), both);
            }
            // A text about one thing may omit the number, one about several may not.
            if (!message.isPlural) continue;
            QVERIFY2(message.forms.size() > 1, qPrintable(message.source));
            QVERIFY2(found(message.forms.back(), "%L?n") == found(message.source, "%L?n"),
                     qPrintable(message.source));
        }
    }

    void theFilesHaveEveryTextOfTheSources() {
        if (QStandardPaths::findExecutable("lupdate", {"/usr/lib/qt6/bin"}).isEmpty())
            QSKIP("lupdate is not installed (package qt6-l10n-tools)");
        QTemporaryDir folder;
        for (const QString& name : translationFiles())
            QVERIFY(QFile::copy(QString(kFolder) + '/' + name, folder.filePath(name)));
        QProcess update;
        update.setProcessChannelMode(QProcess::MergedChannels);
        update.start(QString(kSources) + "/tools/update_translations.sh",
                     {folder.path(), TEMPER_ENGINE_TEXTS});
        QVERIFY(update.waitForFinished(120'000));
        const QString output = QString::fromUtf8(update.readAll());
        QVERIFY2(update.exitStatus() == QProcess::NormalExit && update.exitCode() == 0,
                 qPrintable(output));
        // Their texts would never be found: lupdate and Qt use different names for the class.
        for (const QString& line : output.split('\n'))
            QVERIFY2(!line.contains("lacks Q_OBJECT") || line.contains("'temper::ui'"),
                     qPrintable(line));
        for (const QString& name : translationFiles())
            QVERIFY2(contentOf(folder.filePath(name)) == contentOf(QString(kFolder) + '/' + name),
                     qPrintable(name + " is not up to date: run tools/update_translations.sh and"
                                       " translate what is unfinished"));
    }

    void aLanguageIsAFile() {
        std::map<QString, QString> names;
        for (const Language& language : languages()) names[language.code] = language.name;
        QCOMPARE(static_cast<qsizetype>(names.size()), translationFiles().size());
        QCOMPARE(names["en"], QString("English"));
        QCOMPARE(names["de"], QString("Deutsch"));
    }

    void aMissingLanguageIsEnglish() {
        QCOMPARE(shownLanguage("de"), QString("de"));
        QCOMPARE(shownLanguage("de-AT"), QString("de"));
        QCOMPARE(shownLanguage("tlh"), QString("en"));
    }

    void textsNumbersAndPluralsFollowTheLanguage_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("expected");
        QTest::newRow("one in English") << "en" << 1 << "1 node";
        QTest::newRow("many in English") << "en" << 1437 << "1,437 nodes";
        QTest::newRow("one in German") << "de" << 1 << "1 Knoten";
        QTest::newRow("many in German") << "de" << 1437 << "1.437 Knoten";
    }
    void textsNumbersAndPluralsFollowTheLanguage() {
        QFETCH(QString, code);
        QFETCH(int, count);
        QFETCH(QString, expected);
        installLanguage(*qApp, code);
        QCOMPARE(QCoreApplication::translate("temper::ui::ModelPanel", "%Ln nodes", nullptr, count),
                 expected);
    }

    void textsOfTheEngineAreTranslated() {
        QCOMPARE(engineText("Weight decay"), QString("Weight decay"));
        installLanguage(*qApp, "de");
        QCOMPARE(engineText("Weight decay"), QString("Gewichtszerfall"));
        QCOMPARE(engineText("conv1.weight"), QString("conv1.weight"));
        QCOMPARE(engineText(""), QString());
        installLanguage(*qApp, "en");
        QCOMPARE(engineText("Weight decay"), QString("Weight decay"));
    }

    void theChoiceIsKept() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
        QCOMPARE(chosenLanguage(settings), QString());
        chooseLanguage(settings, "de");
        QCOMPARE(chosenLanguage(settings), QString("de"));
    }

private:
    static void addFiles() {
        QTest::addColumn<QString>("path");
        for (const QString& name : translationFiles())
            QTest::newRow(qPrintable(name)) << QString(kFolder) + '/' + name;
    }
};

QTEST_MAIN(TranslationFilesTest)
#include "translation_files_test.moc"
