# SPDX-License-Identifier: GPL-3.0-or-later
# Each resources/icons/<name>.svg and resources/translations/temper_<language>.ts becomes a part
# of the program: an icon or a language is added by adding its file.
find_program(TEMPER_LRELEASE NAMES lrelease PATHS /usr/lib/qt6/bin NO_DEFAULT_PATH)
find_program(TEMPER_LRELEASE NAMES lrelease-qt6 lrelease REQUIRED)

# temper_resource(target name file ...) links the files as the Qt resource ":/name". Version 1 of
# the format contains no file times: builds are reproducible.
function(temper_resource target name)
    set(entries "")
    foreach(file ${ARGN})
        get_filename_component(alias ${file} NAME)
        string(APPEND entries "<file alias=\"${alias}\">${file}</file>")
    endforeach()
    set(list ${CMAKE_CURRENT_BINARY_DIR}/resources/${name}.qrc)
    file(CONFIGURE OUTPUT ${list} @ONLY CONTENT
        "<RCC><qresource prefix=\"/${name}\">${entries}</qresource></RCC>\n")
    set(code ${CMAKE_CURRENT_BINARY_DIR}/resources/${name}_resource.cpp)
    add_custom_command(OUTPUT ${code}
        COMMAND Qt6::rcc --format-version 1 --name ${name} ${list} --output ${code}
        DEPENDS ${list} ${ARGN} VERBATIM)
    set_source_files_properties(${code} PROPERTIES SKIP_AUTOGEN ON SKIP_PRECOMPILE_HEADERS ON
                                SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${code})
endfunction()

# temper_icons(target) links them as ":/icons".
function(temper_icons target)
    set(folder ${CMAKE_SOURCE_DIR}/resources/icons)
    file(GLOB icons ${folder}/*.svg)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder})
    temper_resource(${target} icons ${icons})
endfunction()

# temper_translations(target) compiles them and links them as ":/translations".
# tools/update_translations.sh brings their sources up to date.
function(temper_translations target)
    set(folder ${CMAKE_SOURCE_DIR}/resources/translations)
    file(GLOB sources ${folder}/temper_*.ts)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder})
    set(compiled)
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        set(product ${CMAKE_CURRENT_BINARY_DIR}/resources/${name}.qm)
        add_custom_command(OUTPUT ${product}
            COMMAND ${TEMPER_LRELEASE} -silent -nounfinished ${source} -qm ${product}
            DEPENDS ${source} VERBATIM)
        list(APPEND compiled ${product})
    endforeach()
    temper_resource(${target} translations ${compiled})
endfunction()
