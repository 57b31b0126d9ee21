#!/bin/sh
# What make install puts into a prefix is enough for a program outside the project.  The README's
# programs are built with pkg-config alone, and print on two ranks of each network what the README
# says.  uts is there for each network, and what the man pages refer to.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the .pc files do not speak of sanitizers"
[ -n "$JD_TEST_CONDUITS" ] || skip_all "no network was built"

prefix="$scratch/prefix"
ok "make install into another prefix than configure's" \
    make -s -C "$JD_TEST_BUILDDIR" install prefix="$prefix"

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
pkg=${PKG_CONFIG:-pkg-config}
version=$(sed -n 's/^#define JD_VERSION *"\(.*\)"/\1/p' "$JD_TEST_SRCDIR/include/jackdaw.h")
is "$($pkg --modversion jackdaw)" "$version" "jackdaw.pc has the header's version"
is "$($pkg --variable=prefix jackdaw)" "$prefix" "jackdaw.pc has the prefix of the installation"
ok "the tool is there and runs" "$prefix/bin/jackdaw-info" --version

# The C block of the README with this number that has a main.
program_of_readme() { # NUMBER
    awk -v number="$1" '/^```c/ { inside = 1; text = ""; next }
         /^```/ { if (inside && text ~ /jd_launch/ && !--number) { printf "%s", text; exit } inside = 0 }
         inside { text = text $0 "\n" }' "$JD_TEST_SRCDIR/README.md"
}
for n in 1 2; do
    program_of_readme $n >"$scratch/program$n.c"
    ok "the README has $n programs" grep -q jd_launch "$scratch/program$n.c"
done
said=$(sed -n 's/.*\.\/tree *# //p' "$JD_TEST_SRCDIR/README.md")
like "$said" '^[0-9]* tasks$' "and says what they print"

build_outside() { # COMPILER CONDUIT NUMBER
    # shellcheck disable=SC2046,SC2086
    $1 -Wall -Werror -o "$scratch/program$3-$2" $($pkg --cflags jackdaw-$2) "$scratch/program$3.c" \
        $($pkg --libs jackdaw-$2)
}

cd "$scratch" || exit 99
for conduit in $JD_TEST_CONDUITS; do
    for n in 1 2; do
        ok "$conduit: program $n builds" build_outside "$JD_TEST_CC" "$conduit" $n
        is "$(JD_TEST_TIMEOUT=60 "$tap_ranks" "$conduit" 2 "$scratch/program$n-$conduit" | tail -n 1)" \
            "$said" "$conduit: on 2 ranks it prints what the README says"
    done
    case $conduit in smp) uts=uts ;; *) uts=uts-$conduit ;; esac
    ok "$conduit: $uts is installed and runs" \
        env JD_TEST_TIMEOUT=60 "$tap_ranks" "$conduit" 2 "$prefix/bin/$uts" --tree=T3 --check
    # Only hidden names and the public ones may be in the way of a program's own.  A program's own
    # shm_open wins, because the library's is weak (am/gasnet/shm.c).  The format of probes gives their semaphores' names.
    is "$(nm -g --defined-only "$prefix/lib/libjackdaw-$conduit.a" |
        awk 'NF == 3 && $3 !~ /^(jd_|jdi_|__isoc23_|jackdaw_[a-z]+_semaphore$)/ && $2 $3 !~ /^W(shm_open|_\.stapsdt\.base)$/ { print $3 }')" "" \
        "$conduit: the library defines no foreign names"
done

for n in 1 2; do
    ok "sim: program $n builds" build_outside "$JD_TEST_CC" sim $n
    is "$(JACKDAW_RANKS=4 timeout 60 "$scratch/program$n-sim")" "$said" \
        "sim: on 4 ranks it prints what the README says"
done

# CMake's project of two lines, and one that asks for a network that is not there.
cmake_project() { # COMPONENTS...
    mkdir -p "$scratch/cmake"
    cat >"$scratch/cmake/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.13)
project(outside C)
find_package(Jackdaw $version REQUIRED COMPONENTS $*)
add_executable(tree $scratch/program1.c)
target_link_libraries(tree PRIVATE Jackdaw::$1)
CMAKE
    PKG_CONFIG_PATH='' CC="$JD_TEST_CC" cmake -S "$scratch/cmake" -B "$scratch/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/cmake/build"
}
if command -v cmake >/dev/null; then
    ok "CMake finds it, and builds a program" cmake_project sim
    is "$(JACKDAW_RANKS=4 timeout 60 "$scratch/cmake/build/tree")" "$said" "which prints what the README says"
    exits bad "a network that is not there is refused" cmake_project sim ibv
    like "$(tr -s ' \n' '  ' <"$scratch/out")" 'this installation of Jackdaw has no ibv' "and named"
fi
for file in bash-completion/completions/jackdaw-run zsh/site-functions/_jackdaw; do
    ok "$file is there" test -f "$prefix/share/$file"
done

printf '#include <jackdaw.h>\nint main() { return jd_strerror(JD_ENOMEM) == nullptr; }\n' >cxx.cc
ok "the header is good C++" \
    sh -c "${CXX:-g++} -Wall -Wextra -Werror -c cxx.cc $($pkg --cflags jackdaw)"

# The pages and documents that a man page, or the header, names as somewhere to look.
named_in() { # FILE...
    grep -ohE '\*\*[a-z_-]+\*\*\([0-9]\)' "$@" | tr -d '*)' | sed 's/\(.*\)(\(.\)$/man\2 \1.\2/' |
        sed 's: :/:; s:^:share/man/:'
    grep -ohE '\b([a-z]+/)?[A-Za-z]+\.md\b' "$@" | sed 's:^:share/doc/jackdaw/:'
}
# Without lowdown there are no man pages.
lacking() { # FILE...
    named_in "$@" | sort -u | while read -r file; do
        case $file in share/man/*) [ -d "$prefix/share/man" ] || continue ;; esac
        [ -f "$prefix/$file" ] || echo "$file"
    done
}
is "$(lacking "$JD_TEST_SRCDIR"/doc/*.[1-9].md "$JD_TEST_SRCDIR"/doc/calls/*.md "$prefix/include/jackdaw.h")" "" \
    "what man pages and header refer to is installed"
if [ -d "$prefix/share/man" ]; then
    is "$(sed -n 's/^JD_PUBLIC.*[ *]\(jd_[a-z0-9_]*\)(.*/\1/p' "$prefix/include/jackdaw.h" | while read -r call; do
        [ -f "$prefix/share/man/man3/$call.3" ] || echo "$call"
    done)" "" "each call has its page"
fi
printf '**jackdaw-nothing**(7), doc/%s.md\n' nothing >"$scratch/page.1.md"
like "$(lacking "$scratch/page.1.md")" 'share/doc/jackdaw/doc/nothing.md' "and what is not there is found"

ok "make uninstall" make -s -C "$JD_TEST_BUILDDIR" uninstall prefix="$prefix"
is "$(find "$prefix" -type f | head -5)" "" "nothing is left of it"
done_testing
