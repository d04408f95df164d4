# SPDX-License-Identifier: Apache-2.0
# Turns a program's --help output into the body of a manual page (man macros): the text at the top,
# lists of options, arguments and subcommands, and the text after them.
#   -v sections=1  the lists become sections (.SH); 0: sections below one (.SS)

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) text = "\\&" text
    return text
}

# "--epochs INT:POSITIVE=10": names in bold, their values in italics.
function term(text,    words, count, i, line) {
    count = split(text, words, " ")
    for (i = 1; i <= count; ++i) {
        line = line (i > 1 ? " " : "") (words[i] ~ /^-/ || i == 1 ? "\\fB" : "\\fI") \
               roff(words[i]) "\\fR"
    }
    return line
}

function heading(text) {
    print (sections ? ".SH " : ".SS ") "\"" toupper(text) "\""
}

function endItem() {
    if (name == "") return
    print ".TP"
    print term(name)
    print (help == "" ? "\\&" : roff(help))
    name = help = ""
}

function beginVerbatim(title) {
    heading(title)
    print ".nf"
    verbatim = 1
}

/^Usage: / {
    sub(/^Usage: [^ ]*\//, "Usage: ")
    usage = substr($0, 8)
    next
}
/^(Options|Positionals|Arguments|Subcommands):$/ {
    endItem()
    if (!listed) {
        print (sections ? ".SH SYNOPSIS" : ".PP")
        print term(usage)
        print (sections ? ".SH DESCRIPTION" : ".PP")
        printf "%s", description
    }
    listed = 1
    heading($1 == "Positionals:" ? "Arguments" : substr($1, 1, length($1) - 1))
    next
}
!listed && NF { description = description roff($0) "\n"; next }
verbatim { print roff($0); next }
listed && /^  [^ ]/ {
    endItem()
    name = substr($0, 3)
    if (match(name, /  +/)) {
        help = substr(name, RSTART + RLENGTH)
        name = substr(name, 1, RSTART - 1)
    }
    next
}
listed && /^ / && name != "" {
    sub(/^ +/, "")
    help = help (help == "" ? "" : " ") $0
    next
}
listed && NF {
    endItem()
    beginVerbatim("Notes")
    print roff($0)
}
END { endItem(); if (verbatim) print ".fi" }
