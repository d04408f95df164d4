// SPDX-License-Identifier: Apache-2.0
// bin/temper of the wheel: runs the command line that the Python module beside it contains, without
// Python. Loading a module resolves the names of Python that it uses; here the stand-ins that
// make_stand_ins.cmake writes resolve them, and nothing reads or calls these.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>

int main(int argc, char** argv) {
    std::error_code unknown;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const auto module = program.parent_path().parent_path() / TEMPER_PYTHON_MODULE;
    void* library = dlopen(module.c_str(), RTLD_NOW);
    void* entry = library == nullptr ? nullptr : dlsym(library, "temperMain");
    if (entry == nullptr) {
        std::fprintf(stderr, "error: The command line can't be loaded: %s.\n", dlerror());
        return 1;
    }
    return reinterpret_cast<int (*)(int, char**)>(entry)(argc, argv);
}
