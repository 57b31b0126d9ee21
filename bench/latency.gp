# The picture of bench/latency.sh:
#
#     gnuplot -e "table='latency.txt'; picture='latency.svg'; latencies='50 5 1'; ways='block last'" bench/lines.gp bench/latency.gp
#
# Columns of the table: kind, latency in ms, how it waits, workers, elements that wait, seconds,
# speed-up over one worker that blocks, seconds over the least.
set terminal svg size 1100,480 background rgb 'white'
set output picture
set multiplot layout 1,words(latencies) title 'Map and reduce of 5000 elements: speed-up over one worker that blocks'
set style data linespoints
set key below # no curve comes there
set grid
set logscale xy 2
set xlabel 'workers'
set xtics (1, 2, 4, 8, 16, 32, 64)
set xrange [0.9:72]
of(kind, ms, how) = sprintf("< awk '$1 == \"%s\" && $2 == %s && $3 == \"%s\" { print $4, $7 }' %s", kind, ms, how, table)
has_real = int(system(sprintf("grep -c '^real' %s || true", table)))
do for [ms in latencies] {
    set title sprintf('%s ms', ms)
    if (has_real) {
        plot for [how in ways] of('sim', ms, how) title how, \
            for [how in ways] of('real', ms, how) with points pointsize 1.5 title sprintf('%s, real', how)
    } else {
        plot for [how in ways] of('sim', ms, how) title how
    }
}
unset multiplot
