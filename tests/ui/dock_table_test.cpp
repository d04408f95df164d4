// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <iterator>
#include <map>

#include "tests/support/documented_table.h"
#include "ui/docks/dock.h"

namespace temper::ui {
namespace {

QString pagesOf(const DockInfo& dock) {
    QStringList titles;
    for (const PanelInfo& panel : panels())
        if (dock.pages.contains(panel.id)) titles << panel.title;
    if (titles.size() == std::ssize(panels())) return "all but the start page";
    return titles.isEmpty() ? "all" : titles.join(", ");
}

/// Without the menu's "Layout: ".
QString layoutsOf(const DockInfo& dock) {
    static const std::map<LayoutPreset, QString> kNames = {{LayoutPreset::Inspect, "inspect"},
                                                           {LayoutPreset::Train, "train"},
                                                           {LayoutPreset::Teach, "teach"}};
    QStringList names;
    for (const LayoutPreset layout : dock.layouts) names << kNames.at(layout);
    return names.join(", ");
}

}  // namespace

class DockTableTest : public QObject {
    Q_OBJECT

private slots:
    void theDocumentHasEveryDock() {
        QList<QStringList> rows;
        for (const DockInfo& dock : docks())
            rows << QStringList{dock.title, dock.shortcut.toString(QKeySequence::PortableText),
                                pagesOf(dock), layoutsOf(dock), dock.teaches ? "stays" : "closes"};
        test::compareWithPage(
            test::documentedTable({"Dock", "Keys", "Pages", "Layouts", "Presenter mode"}, rows),
            "docs/studio.md");
    }
};

}  // namespace temper::ui

QTEST_MAIN(temper::ui::DockTableTest)
#include "dock_table_test.moc"
