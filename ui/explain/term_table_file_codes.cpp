// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/term_table.h"
#include "ui/translation/tr.h"

namespace temper::ui {

std::vector<Term> fileCodeTerms() {
    return {
        {"C001",
         tr("C001: a checkpoint of another model"),
         tr("The checkpoint names its parameters as this model does, but it was saved by a run of "
            "a model with other operators, another activation for example, so its numbers mean "
            "something else here. Open the model that it was trained with. If you only exported "
            "the same model again, train on: the next checkpoint belongs to this one."),
         "",
         {"checkpoint", "parameter", "operator"}},
        {"M001",
         tr("M001: a value that nothing defines"),
         tr("A node or the model itself reads a value that is neither an input nor an initializer "
            "nor the output of a node, as if a part of the model were missing. A node named "
            "Undefined stands in its place, so that you can look at the rest."),
         "",
         {"operator", "graph"}},
        {"M002",
         tr("M002: a value with several definitions"),
         tr("In ONNX, each value is defined once, but several nodes write this one, or a node and "
            "an initializer. It is unclear which of them the others read. The graph shows each "
            "definition with a number, and a node named Ambiguous after them."),
         "",
         {"operator", "graph"}},
        {"M003",
         tr("M003: a cycle"),
         tr("Some nodes need each other's outputs, so none of them can be computed first. Loops "
            "are written with Loop or Scan in ONNX. The graph shows the cycle cut open: a node "
            "named Cycle stands for the value that comes from its end."),
         "",
         {"operator", "graph"}},
    };
}

}  // namespace temper::ui
