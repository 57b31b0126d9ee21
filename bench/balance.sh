#!/bin/sh
# Table 3 of paper 003 in virtual time: cost and quality of each balancer for ten distributions and five
# numbers of ranks.  usage: bench/balance.sh BUILDDIR [NAME=NUMBER]...; environment: RANKS, BALANCERS,
# DISTRIBUTIONS ("n m;n m").  bench/README.md says how to read it.
set -eu
build=${1:?usage: bench/balance.sh BUILDDIR [NAME=NUMBER]...}
shift
ranks=${RANKS:-2400 4800 9600 19200 38400}
balancers=${BALANCERS:-central tree printed gossip}
distributions=${DISTRIBUTIONS:-1 1;2 2;2 4;2 8;4 2;4 4;4 8;8 2;8 4;8 8}

echo "# balancer n m ranks: before and after, the largest load in % of the average; bound and over; ms"
for p in $ranks; do
    echo "$distributions" | tr ';' '\n' | while read -r n m; do
        for b in $balancers; do
            "$build/bench/balance" "$b" "$p" "$n" "$m" "$@"
        done
    done
done
