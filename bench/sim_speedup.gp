# The picture of bench/sim_speedup.sh:
#
#     gnuplot -e "table='sim_speedup.txt'; picture='sim_speedup.svg'; tree='T1L'; ns=224; \
#         latencies='100 10 1'" bench/lines.gp bench/sim_speedup.gp
#
# table has a line for each number of ranks, and in it three columns for each latency.  The
# published points are those of T1L on 2,304 cores: the percentage of the system's own speed on
# one core.
set terminal svg size 900,600 background rgb 'white'
set output picture
set title sprintf('UTS %s on simulated ranks, %d ns a node', tree, ns)
set logscale xy
set xlabel 'ranks'
set ylabel 'speed-up'
set xtics ('1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '4,096' 4096, '16,384' 16384)
set ytics ('1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024, '4,096' 4096, '16,384' 16384)
set xrange [0.8:22000]
set yrange [0.8:22000]
set key left top opaque # left of the ideal there is nothing
set grid
$published << END
2304 0.76  # MassiveThreads/DM
2304 0.77  # SAWS
2304 0.18  # Charm++
END
if (tree eq 'T1L') {
    set label 1 'MassiveThreads/DM, SAWS' right at 2304, 2304 * 0.77 offset -1, 2
    set label 2 'Charm++' left at 2304, 2304 * 0.18 offset 1.2, 0
}
plot x with lines dashtype 2 linecolor 'gray' title 'ideal', \
    for [i = 1:words(latencies)] table using 1:(column(3 * i)) with linespoints \
        title word(latencies, i) . ' us of latency', \
    $published using 1:(tree eq 'T1L' ? $1 * $2 : NaN) with points pointtype 6 pointsize 1.5 \
        linecolor 'black' title tree eq 'T1L' ? 'published on 2,304 cores' : ''
