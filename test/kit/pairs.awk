# pairs.awk - few combinations of settings that hold every pair of their values:
#
#     awk -v seed=1 -f pairs.awk -- ranks=1,2,3 comm=inline,dedicated '!ranks=1,comm=dedicated'
#
# Prints a combination a line, its values in the order of the settings.  A combination that has all
# values of an argument with "!" is never printed.  Each pair of values of two settings that stands
# in any permitted combination stands on some line.  With all=1: every permitted combination.
# The same seed gives the same lines.  Status 2 and a text for arguments that cannot be meant.
#
# Greedy: the next line is one of those that hold the most pairs which no line holds yet.  The seed
# decides among equals.  What a combination would add only falls with each line, so one pass over
# all of them for each number of pairs, from the highest, is enough.

function wrong(text) {
    print "pairs.awk: " text >"/dev/stderr"
    exit 2
}

function setting(argument, at) {
    at = index(argument, "=")
    if (at < 2) wrong("'" argument "' is not NAME=VALUE,...")
    name[settings] = substr(argument, 1, at - 1)
    if (name[settings] in number_of) wrong("there are two '" name[settings] "'")
    number_of[name[settings]] = settings
    values[settings] = split(substr(argument, at + 1), word, ",")
    for (v = 1; v <= values[settings]; v++) {
        if (word[v] == "" || (settings, word[v]) in value_of)
            wrong("'" argument "' has an empty value, or one twice")
        value_of[settings, word[v]] = v - 1
        text[settings, v - 1] = word[v]
    }
    if (values[settings] == 0) wrong("'" argument "' has no value")
    settings++
}

function forbid(argument, n, part, i, at, what) {
    n = split(argument, part, ",")
    for (i = 1; i <= n; i++) {
        at = index(part[i], "=")
        what = substr(part[i], 1, at - 1)
        if (!(what in number_of) || !((number_of[what], substr(part[i], at + 1)) in value_of))
            wrong("'" part[i] "' of '!" argument "' is no value of a setting")
        bad_setting[forbidden, i] = number_of[what]
        bad_value[forbidden, i] = value_of[number_of[what], substr(part[i], at + 1)]
    }
    bad_length[forbidden++] = n
}

# The value of each setting in the combination: its digits.
function decode(combination, i) {
    for (i = settings - 1; i >= 0; i--) {
        digit[i] = combination % values[i]
        combination = (combination - digit[i]) / values[i]
    }
}

function permitted(f, i) {
    for (f = 0; f < forbidden; f++) {
        for (i = 1; i <= bad_length[f] && digit[bad_setting[f, i]] == bad_value[f, i]; i++);
        if (i > bad_length[f]) return 0
    }
    return 1
}

function tell(i, line) {
    for (i = 0; i < settings; i++) line = line (i ? " " : "") text[i, digit[i]]
    print line
}

# How many pairs of digit[] no line holds yet.
function adds(i, j, n) {
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++)
            n += !((first[i, j] + digit[i] * values[j] + digit[j]) in held)
    return n
}

function take(i, j) {
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++)
            held[first[i, j] + digit[i] * values[j] + digit[j]] = 1
    tell()
}

# Minimal standard generator: the rand() of one awk is not that of another.
function chance(below) {
    state = (state * 16807) % 2147483647
    return state % below
}

function cover(pairs, i, j, k, swap, level) {
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++) {
            first[i, j] = pairs
            pairs += values[i] * values[j]
        }
    for (k = count - 1; k > 0; k--) {
        i = chance(k + 1)
        swap = candidate[k]
        candidate[k] = candidate[i]
        candidate[i] = swap
    }
    level = settings * (settings - 1) / 2
    for (k = 0; k < count; k++) most[k] = level
    for (; level > 0; level--)
        for (k = 0; k < count; k++)
            if (most[k] == level) {
                decode(candidate[k])
                most[k] = adds()
                if (most[k] == level) take()
            }
}

BEGIN {
    settings = forbidden = count = 0
    state = 1 + seed % 2147483646
    for (a = 0; a < 3; a++) chance(1) # seeds beside each other begin alike
    for (a = 1; a < ARGC; a++)
        if (ARGV[a] !~ /^!/) setting(ARGV[a])
    if (settings == 0) wrong("no setting")
    for (a = 1; a < ARGC; a++)
        if (ARGV[a] ~ /^!/) forbid(substr(ARGV[a], 2))
    total = 1
    for (s = 0; s < settings; s++) total *= values[s]
    for (c = 0; c < total; c++) {
        decode(c)
        if (permitted()) candidate[count++] = c
    }
    if (count == 0) wrong("every combination is forbidden")
    if (!(all + 0) && settings > 1) {
        cover()
        exit 0
    }
    for (c = 0; c < count; c++) {
        decode(candidate[c])
        tell()
    }
    exit 0
}
