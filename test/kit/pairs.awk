# pairs.awk - few combinations of settings that hold every pair of their values:
#
#     awk -v seed=1 -f pairs.awk -- ranks=1,2,3 comm=inline,dedicated '!ranks=1,comm=dedicated'
#
# Prints a combination a line, its values in the order of the settings.  Each pair of values of two
# settings that stands in any permitted combination stands on some line.  A combination that has all
# values of an argument with "!" is never printed.  With all=N every permitted combination is printed,
# if no more than N could be made of the settings.
# Of a setting in capitals, which is one of the environment, NAME=VALUE is printed, and nothing if the
# value is empty: JACKDAW_FAULT=,send:1 is the default, or send:1.
# program=a|b|c,d has two values.  The lines with the first have a, b and c in turn, and all three of
# them for each combination with all=N: programs of one kind meet the settings together, so that lines
# do not grow with the number of programs.
# The same seed gives the same lines.  Status 2 and a text for arguments that cannot be meant.
#
# A line begins as a pair that no line holds yet; each further setting, in an order by chance, takes
# the value that brings the most new pairs and permits a rest.  The best of some such lines is taken.
# A pair that permits no rest stands in no permitted combination.  This is the greedy search of AETG
# (D. Cohen and others, IEEE Transactions on Software Engineering 23(7), 1997).

function wrong(text) {
    print "pairs.awk: " text >"/dev/stderr"
    exit 2
}

function setting(argument, at, v, p, part, word, capital) {
    at = index(argument, "=")
    if (at < 2) wrong("'" argument "' is not NAME=VALUE,...")
    name[settings] = substr(argument, 1, at - 1)
    if (name[settings] in number_of) wrong("there are two '" name[settings] "'")
    number_of[name[settings]] = settings
    values[settings] = split(substr(argument, at + 1), word, ",")
    capital = name[settings] ~ /^[A-Z][A-Z0-9_]*$/
    for (v = 1; v <= values[settings]; v++) {
        if ((word[v] == "" && !capital) || (settings, word[v]) in value_of)
            wrong("'" argument "' has an empty value, or one twice")
        value_of[settings, word[v]] = v - 1
        parts[settings, v - 1] = word[v] == "" ? 1 : split(word[v], part, "|")
        for (p = 1; p <= parts[settings, v - 1]; p++) {
            if (word[v] != "" && part[p] == "") wrong("'" word[v] "' has an empty part")
            text[settings, v - 1, p - 1] = word[v] == "" ? "" : (capital ? name[settings] "=" : "") part[p]
        }
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

# Goes on with a line that has the words of the settings before i.
function tell(i, line, p, n) {
    if (i == settings) {
        if (line == "") wrong("a combination without any word")
        print substr(line, 2)
        lines++
        return
    }
    n = parts[i, digit[i]]
    for (p = every ? 0 : turn[i, digit[i]]++ % n; p < n; p++) {
        tell(i + 1, line (text[i, digit[i], p] == "" ? "" : " " text[i, digit[i], p]))
        if (!every) return
    }
}

# Minimal standard generator: the rand() of one awk is not that of another.
function chance(below) {
    state = (state * 16807) % 2147483647
    return state % below
}

function shuffle(list, n, k, i, swap) {
    for (k = n - 1; k > 0; k--) {
        i = chance(k + 1)
        swap = list[k]
        list[k] = list[i]
        list[i] = swap
    }
}

# The number of the pair of digit[i] and digit[j].
function pair(i, j) {
    return i < j ? first[i, j] + digit[i] * values[j] + digit[j] : first[j, i] + digit[j] * values[i] + digit[i]
}

# How many pairs of digit[s] and what is chosen already no line holds yet.
function brings(s, i, n) {
    for (i = 0; i < settings; i++)
        if (i != s && digit[i] >= 0 && !(pair(i, s) in held)) n++
    return n + 0
}

# Chooses the settings order[k], order[k + 1]...; false if what is chosen permits none.
function complete(k, s, v, best, left, gain) {
    if (k == settings) return 1
    s = order[k]
    if (digit[s] >= 0) return complete(k + 1)
    for (v = 0; v < values[s]; v++) {
        digit[s] = v
        gain[v] = permitted() ? brings(s) + chance(1024) / 1024 : -1
    }
    for (left = values[s]; left > 0; left--) {
        best = 0
        for (v = 1; v < values[s]; v++)
            if (gain[v] > gain[best]) best = v
        digit[s] = best
        if (gain[best] >= 0 && complete(k + 1)) return 1
        gain[best] = -1
    }
    digit[s] = -1
    return 0
}

# Makes digit[] of a pair and what goes best with it; the number of new pairs, or 0.
function line_of(p, i, j, n) {
    for (i = 0; i < settings; i++) {
        digit[i] = -1
        order[i] = i
    }
    digit[left_of[p]] = left_value[p]
    digit[right_of[p]] = right_value[p]
    shuffle(order, settings)
    if (!permitted() || !complete(0)) return 0
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++)
            n += !(pair(i, j) in held)
    return n
}

# The line that brings the most, of some that hold the pair.
function tell_best(p, tries, i, j, n, most, best) {
    for (tries = 0; tries < 20; tries++) {
        n = line_of(p)
        if (n == 0) {
            held[p] = 1
            return
        }
        if (n > most) {
            most = n
            for (i = 0; i < settings; i++) best[i] = digit[i]
        }
    }
    for (i = 0; i < settings; i++) digit[i] = best[i]
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++)
            held[pair(i, j)] = 1
    tell(0, "")
}

function cover(pairs, i, j, a, b, k, turns) {
    pairs = 0 # not "", which would be another index
    for (i = 0; i < settings; i++)
        for (j = i + 1; j < settings; j++) {
            first[i, j] = pairs
            for (a = 0; a < values[i]; a++)
                for (b = 0; b < values[j]; b++) {
                    left_of[pairs] = i
                    left_value[pairs] = a
                    right_of[pairs] = j
                    right_value[pairs] = b
                    turns[pairs] = pairs
                    pairs++
                }
        }
    shuffle(turns, pairs)
    for (k = 0; k < pairs; k++)
        if (!(turns[k] in held)) tell_best(turns[k])
}

function product(c) {
    every = 1
    for (c = 0; c < total; c++) {
        decode(c)
        if (permitted()) tell(0, "")
    }
}

BEGIN {
    settings = forbidden = lines = 0
    state = 1 + seed % 2147483646
    for (a = 0; a < 3; a++) chance(1) # seeds beside each other begin alike
    for (a = 1; a < ARGC; a++)
        if (ARGV[a] !~ /^!/) setting(ARGV[a])
    if (settings == 0) wrong("no setting")
    for (a = 1; a < ARGC; a++)
        if (ARGV[a] ~ /^!/) forbid(substr(ARGV[a], 2))
    total = 1
    for (s = 0; s < settings; s++) total *= values[s]
    if (settings == 1 || total <= all + 0)
        product()
    else
        cover()
    if (lines == 0) wrong("every combination is forbidden")
    exit 0
}
