#!/bin/sh
# A server that sends back what it gets: a task for each connection beside a plain loop over epoll and, with the
# go command, a goroutine for each connection.
#
#     bench/echo.sh [-c "CONNECTIONS..."] [-m REQUESTS] [-t THREADS] [-r ROUNDS]
#
# CONNECTIONS: 10 100 1000 10000, each alone; REQUESTS of all connections together: 200000; THREADS that serve: 2;
# ROUNDS: 7, in each of which the servers take turns, every second time the other way round.  The clients are the
# same process for all, and compare each answer.  Prints requests a second, median, least and most, and the median
# of the ratios within a round to the plain loop and to Go.
set -e
. "$(dirname "$0")/kit.sh"
counts="10 100 1000 10000" requests=200000 threads=2 rounds=7
while getopts c:m:t:r: option; do
    case $option in
    c) counts=$OPTARG ;;
    m) requests=$OPTARG ;;
    t) threads=$OPTARG ;;
    r) rounds=$OPTARG ;;
    *) usage ;;
    esac
done
need examples/echo_server bench/echo_epoll
source=$(cd "$(dirname "$0")" && pwd)/echo.go
servers="jackdaw epoll"
if command -v go >/dev/null; then
    GOCACHE=$data/cache go build -o "$data/echo" "$source"
    servers="$servers go"
fi

serve() { # SERVER CONNECTIONS REQUESTS
    case $1 in
    jackdaw) JACKDAW_RANKS=1 JACKDAW_WORKERS=$threads examples/echo_server -c "$2" -m "$3" ;;
    epoll) bench/echo_epoll examples/echo_server "$2" "$3" "$threads" ;;
    go) GOMAXPROCS=$threads "$data/echo" examples/echo_server "$2" "$3" ;;
    esac
}
middle() { # FILE
    sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.3g (%.3g to %.3g)", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

for c in $counts; do
    m=$((requests / c))
    rm -f "$data"/*.rate
    round=0 order=$servers
    while [ $round -lt "$rounds" ]; do
        for s in $order; do
            run_to "$data/out" serve "$s" "$c" "$m"
            sed 's/.* s, \([0-9]*\) a second$/\1/' "$data/out" >>"$data/$s.rate"
        done
        order=$(echo "$order" | awk '{ for (i = NF; i; i--) printf "%s ", $i }')
        round=$((round + 1))
    done
    for s in $servers; do
        echo "$c connections, $m requests each: $s $(middle "$data/$s.rate") requests a second"
        [ "$s" != jackdaw ] || continue
        paste "$data/jackdaw.rate" "$data/$s.rate" | awk '{ print $1 / $2 }' >"$data/ratio"
        echo "$c connections: jackdaw is $(middle "$data/ratio") times $s"
    done
done
