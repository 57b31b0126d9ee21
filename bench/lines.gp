# What the lines and bars of all pictures look like; gnuplot reads it before the file of a picture:
#
#     gnuplot -e "..." bench/lines.gp bench/latency.gp
#
# They differ in dashes, points and patterns, so that a print without colours tells them apart.  All colours are dark enough for
# thin lines on white, which is the background also where the rest of the page is dark.
set linetype 1 linecolor rgb '#1d4f91' linewidth 1.4 dashtype 1 pointtype 7 pointsize 0.7
set linetype 2 linecolor rgb '#b04a00' linewidth 1.4 dashtype 2 pointtype 4 pointsize 1
set linetype 3 linecolor rgb '#1f7a3d' linewidth 1.4 dashtype 4 pointtype 9 pointsize 1
set linetype 4 linecolor rgb '#7a2a8c' linewidth 1.4 dashtype 5 pointtype 12 pointsize 1.2
set linetype 5 linecolor rgb '#444444' linewidth 1.4 dashtype 3 pointtype 2 pointsize 1
set linetype 6 linecolor rgb '#806000' linewidth 1.4 dashtype (18, 4) pointtype 6 pointsize 1.2
set linetype cycle 6
set style fill pattern 3 border -1
