# SPDX-License-Identifier: GPL-3.0-or-later
# Each resources/translations/temper_<language>.ts becomes part of the program: a language is added
# by adding its file. tools/update_translations.sh brings the files up to date with the sources.
find_program(TEMPER_LRELEASE NAMES lrelease PATHS /usr/lib/qt6/bin NO_DEFAULT_PATH)
find_program(TEMPER_LRELEASE NAMES lrelease-qt6 lrelease REQUIRED)

# temper_translations(target) compiles them and links them as the Qt resource "translations".
function(temper_translations target)
    set(folder ${CMAKE_SOURCE_DIR}/resources/translations)
    file(GLOB sources ${folder}/temper_*.ts)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder})
    set(compiled)
    set(entries "")
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        set(product ${CMAKE_CURRENT_BINARY_DIR}/translations/${name}.qm)
        add_custom_command(OUTPUT ${product}
            COMMAND ${TEMPER_LRELEASE} -silent -nounfinished ${source} -qm ${product}
            DEPENDS ${source} VERBATIM)
        list(APPEND compiled ${product})
        string(APPEND entries "<file>${name}.qm</file>")
    endforeach()
    set(list ${CMAKE_CURRENT_BINARY_DIR}/translations/translations.qrc)
    file(CONFIGURE OUTPUT ${list} @ONLY CONTENT
        "<RCC><qresource prefix=\"/translations\">${entries}</qresource></RCC>\n")
    set(code ${CMAKE_CURRENT_BINARY_DIR}/translations/translations_resource.cpp)
    add_custom_command(OUTPUT ${code}
        COMMAND Qt6::rcc ${TEMPER_RCC_OPTIONS} --name translations ${list} --output ${code}
        DEPENDS ${list} ${compiled} VERBATIM)
    set_source_files_properties(${code} PROPERTIES SKIP_AUTOGEN ON SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${code})
endfunction()
