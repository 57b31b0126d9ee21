# The picture of bench/scatter.sh, for one kind of run:
#
#     gnuplot -e "table='scatter.txt'; kind='here'; picture='scatter_here.svg'" bench/lines.gp bench/scatter.gp
#
# Columns of the table: kind, experiment, placement, n, d, w in us, rounds, speed-up (median, least,
# most), looks a second, ULTs taken a second.
set terminal svg size 1100,1350 background rgb 'white'
set output picture
set datafile missing 'NaN'
processors = kind eq 'real' || kind eq 'two' ? 2 : 8
set multiplot layout 3,2 title sprintf('Scatter and gather, %d workers: %s', processors, kind)
set style data linespoints
set key below # no curve comes there
set grid
set yrange [0:processors * 1.05]
placements = system(sprintf("awk '!/^#/ && !seen[$3]++ { printf \"%%s \", $3 }' %s", table))
title_of(p, n) = sprintf('%s, n = %s', p, n)

# Gnuplot joins the points of consecutive lines, so each curve gets only its own.
curve(e, p, x) = sprintf("< awk '$1 == \"%s\" && $2 == %d && $3 == \"%s\" { print $%d, $8, $9, $10, $11, $4 }' %s", \
    kind, e, p, x, table)
of(e, p, x, n) = sprintf("< awk '$1 == \"%s\" && $2 == %d && $3 == \"%s\" && $4 == %s { print $%d, $8, $9, $10, $11 }' %s", \
    kind, e, p, n, x, table)

set title '1: speed-up over division of work'
set xlabel 'd'
set logscale x
plot for [n in '50 250 1000'] for [p in placements] of(1, p, 5, n) using 1:2:3:4 with yerrorlines title title_of(p, n)
set title '1: looks at other workers a second'
set logscale y
set yrange [*:*]
plot for [n in '50 250'] for [p in placements] of(1, p, 5, n) using 1:5 title title_of(p, n)
unset logscale y
set yrange [0:processors * 1.05]
set title '2: speed-up over workers, 100 us'
set xlabel 'n'
set logscale x 2
plot for [p in placements] curve(2, p, 4) using 1:2:3:4 with yerrorlines title p
set title '2: looks at other workers a second'
set logscale y
set yrange [*:*]
plot for [p in placements] curve(2, p, 4) using 1:5 title p
unset logscale y
set yrange [0:processors * 1.05]
set title '3: speed-up over work per message'
set xlabel 'us'
plot for [n in '16 50 250'] for [p in placements] of(3, p, 6, n) using 1:2:3:4 with yerrorlines title title_of(p, n)
unset logscale x
set title '4: speed-up over workers, 800 us'
set xlabel 'n'
set xtics 8
set yrange [*:processors * 1.02]
plot curve(4, 'last', 4) using 1:2:3:4 with yerrorlines title 'last'
unset multiplot
