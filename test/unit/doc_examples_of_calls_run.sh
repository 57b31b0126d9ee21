#!/bin/sh
# The program in the EXAMPLES of each page of doc/calls/ compiles without a warning, and prints on two ranks
# what the page says.  All of them are linked into one program, which runs each in a process of
# its own, because that takes a third of the time; lines are compared in any order.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

[ "$JD_TEST_SANITIZER" = none ] || skip_all "the build without a sanitizer runs them"

# The first and the second fenced block of EXAMPLES: the program, and what it prints.
block() { # PAGE NUMBER
    awk -v number="$2" '/^## / { here = /EXAMPLES/ } here && /^```/ { fences++; next }
        here && fences == 2 * number - 1' "$1"
}

names='' objects=''
for page in "$JD_TEST_SRCDIR"/doc/calls/*.3.md; do
    name=${page##*/} name=${name%.3.md}
    block "$page" 1 >"$scratch/$name.c"
    block "$page" 2 | sort >"$scratch/$name.says"
    # shellcheck disable=SC2086 # words
    ok "$name: the example compiles" "$JD_TEST_CC" $JD_TEST_CFLAGS -O0 -std=gnu11 -Wall -Wextra -Werror "-Dmain=main_$name" \
        -I"$JD_TEST_SRCDIR/include" -c "$scratch/$name.c" -o "$scratch/$name.o"
    names="$names $name" objects="$objects $scratch/$name.o"
done

{
    printf '#include <%s.h>\n' stdio stdlib sys/wait unistd
    for name in $names; do echo "int main_$name(int, char **);"; done
    cat <<'EOT'
static int failed;
static void run(const char *name, int (*fn)(int, char **), const char *out)
{
    char program[] = "example", *one[] = {program, NULL};
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        exit(freopen(out, "w", stdout) ? fn(1, one) : 99);
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        failed = 1, fprintf(stderr, "%s ended with %#x\n", name, status);
}
int main(void)
{
EOT
    for name in $names; do echo "    run(\"$name\", main_$name, \"$name.out\");"; done
    printf '    return failed;\n}\n'
} >"$scratch/all.c"
# What a program of the in-process library is linked with, as the makefile has it.
libraries=$(make -s -C "$JD_TEST_BUILDDIR" loop-program-libraries | tail -n 1)
cd "$scratch" || exit 99
# shellcheck disable=SC2086 # words
ok "all of them are linked" "$JD_TEST_CC" $JD_TEST_CFLAGS -o all all.c $objects $libraries
ok "all of them end well" env JACKDAW_RANKS=2 JACKDAW_WORKERS=2 JACKDAW_ULT=boost ./all
for name in $names; do
    is "$(sort "$name.out")" "$(cat "$name.says")" "$name: prints what the page says"
done
done_testing
