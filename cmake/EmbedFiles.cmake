# SPDX-License-Identifier: Apache-2.0

# temper_embed_files(name DEPENDS core ... FILES folder/a.bin ...)
# makes the layer temper_<name> that carries FILES (relative to the calling folder) in its read-only
# data. The assembler copies the bytes (.incbin), so that a large file costs no compile time; a
# generated table lists them by path for embedded.cpp.
function(temper_embed_files name)
    cmake_parse_arguments(EMBED "" "" "DEPENDS;FILES" ${ARGN})
    set(assembly "    .section .rodata\n")
    set(declarations "")
    set(rows "")
    set(index 0)
    foreach(file IN LISTS EMBED_FILES)
        set(symbol "temper_embedded_${index}")
        string(APPEND assembly
            "    .global ${symbol}_begin\n    .global ${symbol}_end\n    .balign 64\n"
            "${symbol}_begin:\n    .incbin \"${CMAKE_CURRENT_SOURCE_DIR}/${file}\"\n"
            "${symbol}_end:\n    .byte 0\n")
        string(APPEND declarations
            "extern const std::byte ${symbol}_begin[];\nextern const std::byte ${symbol}_end[];\n")
        string(APPEND rows "    {\"${file}\", ${symbol}_begin, ${symbol}_end},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND assembly "    .section .note.GNU-stack,\"\",%progbits\n")

    set(prefix ${CMAKE_CURRENT_BINARY_DIR}/${name}_files)
    file(CONFIGURE OUTPUT ${prefix}.s CONTENT "${assembly}" @ONLY)
    file(CONFIGURE OUTPUT ${prefix}.cpp @ONLY CONTENT
"#include \"resources/embedded_table.h\"

extern \"C\" {
${declarations}}

namespace temper {

static const EmbeddedEntry kEntries[] = {
${rows}};

std::span<const EmbeddedEntry> embeddedTable() { return kEntries; }

}  // namespace temper
")
    temper_layer(${name} GENERATED ${prefix}.s ${prefix}.cpp DEPENDS ${EMBED_DEPENDS})
    list(TRANSFORM EMBED_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_source_files_properties(${prefix}.s PROPERTIES OBJECT_DEPENDS "${EMBED_FILES}")
endfunction()
