# SPDX-License-Identifier: Apache-2.0
complete -c temper-studio -s h -l help -d 'Show the options'
complete -c temper-studio -l help-all -d 'Show the options, also those of Qt'
complete -c temper-studio -s v -l version -d 'Show the version'
complete -c temper-studio -l lesson -x -d 'Open a lesson'
complete -c temper-studio -l train -d 'Start training as soon as it can start'
complete -c temper-studio -l benchmark -d 'Print how long the start takes, and end'
