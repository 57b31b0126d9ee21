#!/bin/sh
# A [pair: label] stands on both sides of the synchronisation: at least twice.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# Comments may be wrapped inside a label, so lines are joined first.
violations() {
    c_files | grep -v '^\./test/' | while read -r f; do
        tr '\n' ' ' <"$f" | sed 's/ \* / /g; s/  */ /g' | grep -oE '\[pair: [^]]*\]' | sed "s|\$| $f|"
    done | sed 's/^\[pair: \([^]]*\)\] /\1|/' | awk -F'|' '
        { n = split($1, label, /, */)
          for (i = 1; i <= n; i++) { count[label[i]]++; file[label[i]] = $2 } }
        END { for (l in count) if (count[l] < 2) print file[l] ": [pair: " l "] has no other side" }' | sort
    # No atomic without an explicit order; declarations and initialisers have none.
    c_files | grep -E '^\./(core|am|termination|sched|conform)/' | xargs grep -HnE \
        '\batomic_(load|store|exchange|fetch_[a-z]+|compare_exchange_(weak|strong)|flag_[a-z_]+|thread_fence)\b *\(' |
        grep -vE '_explicit|atomic_thread_fence\(memory_order' | grep -vE ':[0-9]+: *(/?\*|//)' |
        sed 's/$/   (no explicit order)/'
}

tree_is_clean "pair labels have two sides and atomics an explicit order"
mkdir -p "$planted/core"
cat >"$planted/core/a.c" <<'C'
/* [pair: lonely] and [pair: both] and [pair: wrapped
 * label] */
    atomic_load(&x);
C
echo '/* [pair: both] [pair: wrapped label] */' >"$planted/core/b.c"
planted_is_found "a label with one side is found" '^\./core/a\.c: \[pair: lonely\]'
planted_is_found "an atomic without an order is found" '^\./core/a\.c:3:'
cd "$planted" && is "$(violations | wc -l)" 2 "the others are not"
done_testing
