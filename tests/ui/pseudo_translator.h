// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace temper::ui {

/// Puts brackets around every text that it translates: text without brackets was never translated.
class PseudoTranslator : public QTranslator {
public:
    static constexpr QChar kOpen = QChar(0x27e6);   ///< a mathematical left white bracket
    static constexpr QChar kClose = QChar(0x27e7);  ///< its counterpart

    bool isEmpty() const override { return false; }
    QString translate(const char*, const char* source, const char*, int) const override {
        return kOpen + QString::fromUtf8(source) + kClose;
    }
};

/// The part of a text outside all brackets.
inline QString untranslatedPart(const QString& text) {
    QString outside;
    int depth = 0;
    for (const QChar letter : text) {
        if (letter == PseudoTranslator::kClose) --depth;
        if (depth == 0 && letter != PseudoTranslator::kClose && letter != PseudoTranslator::kOpen)
            outside += letter;
        if (letter == PseudoTranslator::kOpen) ++depth;
    }
    return outside;
}

}  // namespace temper::ui
