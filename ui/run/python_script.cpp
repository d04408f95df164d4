// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/python_script.h"

#include "engine/training/projects/command_line.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

constexpr auto kScript = R"(#!/usr/bin/env python3
# Trains %1 with Temper and reads what came of it.
# Needs the program "temper" on the PATH.
import json
import shlex
import subprocess

COMMAND = %2
LOG = "run.jsonl"


def commands():
    """The commands of COMMAND, each a list of words; the last one trains."""
    found = [[]]
    for word in shlex.split(COMMAND):
        if word == "&&":
            found.append([])
        else:
            found[-1].append(word)
    found[-1] += ["--log", LOG]
    return found


def train():
    """Trains, and returns the events of the run: dicts with "event", "step", "loss" and others."""
    for command in commands():
        subprocess.run(command, check=True)
    with open(LOG, encoding="utf-8") as log:
        return [json.loads(line) for line in log]


if __name__ == "__main__":
    events = train()
    steps = [event for event in events if event["event"] == "step"]
    evaluations = [event for event in events if event["event"] == "eval"]
    print(f"{len(steps)} steps, the last loss {steps[-1]['loss']:.6g}")
    for evaluation in evaluations:
        metrics = "".join(f", {name} {value:.6g}" for name, value in evaluation["metrics"].items())
        print(f"step {evaluation['step']}: loss {evaluation['loss']:.6g}{metrics}")
)";

/// A Python literal.
QString quotedForPython(const QString& text) {
    QString quoted = text;
    quoted.replace(QLatin1Char('\\'), QLatin1String("\\\\"))
        .replace(QLatin1Char('"'), QLatin1String("\\\""))
        .replace(QLatin1Char('\n'), QLatin1String("\\n"))
        .replace(QLatin1Char('\r'), QLatin1String("\\r"));
    return QLatin1Char('"') + quoted + QLatin1Char('"');
}

}  // namespace

QString pythonScriptOf(const TrainingSpec& spec, const std::filesystem::path& project,
                       const QString& title) {
    return QString::fromLatin1(kScript).arg(title.simplified(),
                                            quotedForPython(text(commandLineOf(spec, project))));
}

}  // namespace temper::ui
