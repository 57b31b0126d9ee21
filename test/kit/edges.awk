# edges.awk - who needs whom, from "nm -P -A OBJECT..." of the objects of one library:
#
#     sched/worker.c core/err.c jdi_panic
#
# means that the object of sched/worker.c needs the function or the data jdi_panic, which the object
# of core/err.c has.  What comes from outside the library is left out.

function source(object) {
    sub(/:$/, "", object)
    sub(/\.o$/, ".c", object)
    sub(/lib[a-z_]*_a-/, "", object) # automake's, where a library has flags of its own
    return object
}

$3 ~ /^[ABCDGRSTVWi]$/ { home[$2] = source($1) }
$3 ~ /^[Uvw]$/ {
    needed[++needs] = $2
    needer[needs] = source($1)
}

END {
    for (i = 1; i <= needs; i++)
        if (needed[i] in home && home[needed[i]] != needer[i])
            print needer[i], home[needed[i]], needed[i]
}
