/*
 * perfetto.c - what is in a trace of Perfetto, and whether it is well formed.
 *
 *     perfetto FILE
 *
 * Role: reads the protobuf messages without Perfetto's code.  Prints one line: how many slices, tracks, processes and
 *       arrows there are; or the first thing that is wrong, and ends with status 1.  Wrong is: a message that
 *       is cut off, a slice that ends and has not begun or the other way round, events of a track that go back in time,
 *       a track or a name that was not declared, and an arrow that ends where none began.
 * See: tools/trace_perfetto.c; test/dist/tools_trace_shows_what_ran.sh.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS_MOST = 4096, NAMES_MOST = 4096 };

struct span {
    const unsigned char *at, *end;
};

struct field {
    unsigned number;
    uint64_t value;     /* of a number */
    struct span inside; /* of bytes */
};

struct track {
    uint64_t uuid, last;
    long open;
    int process;
};

struct arrow_end {
    uint64_t id;
    int begins;
};

struct all {
    struct track track[TRACKS_MOST];
    size_t ntracks, nprocesses;
    struct {
        uint64_t sequence, iid;
    } name[NAMES_MOST * 16];
    size_t nnames;
    struct arrow_end *arrow;
    size_t narrows, room;
    uint64_t slices, moments;
};

static struct all all;

static void wrong(const char *text)
{
    printf("wrong: %s\n", text);
    exit(1);
}

/* ---- protobuf ----------------------------------------------------------------------------- */

static uint64_t take_varint(struct span *s)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (s->at == s->end)
            wrong("a number is cut off");
        unsigned char byte = *s->at++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    wrong("a number is too long");
    return 0;
}

static int take_field(struct span *s, struct field *f)
{
    if (s->at == s->end)
        return 0;
    uint64_t key = take_varint(s), n;
    *f = (struct field){.number = (unsigned)(key >> 3)};
    switch (key & 7) {
    case 0:
        f->value = take_varint(s);
        return 1;
    case 1:
        if (s->end - s->at < 8)
            wrong("a fixed number is cut off");
        memcpy(&f->value, s->at, 8);
        s->at += 8;
        return 1;
    case 2:
        n = take_varint(s);
        if (n > (uint64_t)(s->end - s->at))
            wrong("a message is cut off");
        f->inside = (struct span){s->at, s->at + n};
        s->at += n;
        return 1;
    default:
        wrong("a field of another kind");
        return 0;
    }
}

/* ---- what it says --------------------------------------------------------------------------- */

static struct track *track_of(uint64_t uuid)
{
    for (size_t i = 0; i < all.ntracks; i++)
        if (all.track[i].uuid == uuid)
            return &all.track[i];
    return NULL;
}

static void see_descriptor(struct span s)
{
    struct field f;
    struct track t = {0};
    while (take_field(&s, &f)) {
        t.uuid = f.number == 1 ? f.value : t.uuid;
        t.process |= f.number == 3;
    }
    if (!t.uuid || track_of(t.uuid) || all.ntracks == TRACKS_MOST)
        wrong("a track is declared twice, or has no number");
    all.track[all.ntracks++] = t;
    all.nprocesses += (size_t)t.process;
}

static void see_names(struct span s, uint64_t sequence)
{
    struct field f, g;
    while (take_field(&s, &f)) {
        uint64_t iid = 0;
        for (struct span name = f.inside; take_field(&name, &g);)
            iid = g.number == 1 ? g.value : iid;
        if (f.number == 2 && all.nnames < NAMES_MOST * 16) {
            all.name[all.nnames].sequence = sequence;
            all.name[all.nnames++].iid = iid;
        }
    }
}

static int is_named(uint64_t sequence, uint64_t iid)
{
    for (size_t i = all.nnames; i-- > 0;)
        if (all.name[i].sequence == sequence && all.name[i].iid == iid)
            return 1;
    return 0;
}

static void add_arrow(uint64_t id, int begins)
{
    if (all.narrows == all.room) {
        all.room = all.room * 2 + 64;
        all.arrow = realloc(all.arrow, all.room * sizeof *all.arrow);
        if (!all.arrow)
            wrong("out of memory");
    }
    all.arrow[all.narrows++] = (struct arrow_end){id, begins};
}

static void see_event(struct span s, uint64_t ns, uint64_t sequence)
{
    struct field f;
    uint64_t type = 0, uuid = 0, iid = 0, text = 0;
    while (take_field(&s, &f)) {
        type = f.number == 9 ? f.value : type;
        uuid = f.number == 11 ? f.value : uuid;
        iid = f.number == 10 ? f.value : iid;
        text |= f.number == 23;
        if (f.number == 47 || f.number == 48)
            add_arrow(f.value, f.number == 47);
    }
    struct track *t = track_of(uuid);
    if (!t || t->process)
        wrong("an event on a track that is not declared");
    if (type == 3) {
        all.moments++;
        return; /* Perfetto sorts these in */
    }
    if (ns < t->last)
        wrong("time goes back on a track");
    t->last = ns;
    if (type == 1 && !text && !is_named(sequence, iid))
        wrong("a slice without a name");
    t->open += type == 1 ? 1 : -1;
    all.slices += type == 1;
    if (t->open < 0)
        wrong("a slice ends that has not begun");
}

static void see_packet(struct span s)
{
    struct field f;
    struct span event = {0}, names = {0};
    uint64_t ns = 0, sequence = 0;
    while (take_field(&s, &f)) {
        ns = f.number == 8 ? f.value : ns;
        sequence = f.number == 10 ? f.value : sequence;
        if (f.number == 11)
            event = f.inside;
        if (f.number == 12)
            names = f.inside;
        if (f.number == 60)
            see_descriptor(f.inside);
    }
    if (!sequence)
        wrong("a packet of no sequence");
    see_names(names, sequence);
    if (event.at)
        see_event(event, ns, sequence);
}

static int by_id(const void *left, const void *right)
{
    const struct arrow_end *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return b->begins - a->begins;
}

static size_t match_arrows(void)
{
    size_t n = 0;
    if (all.narrows)
        qsort(all.arrow, all.narrows, sizeof *all.arrow, by_id);
    for (size_t i = 0; i < all.narrows; i++)
        if (!all.arrow[i].begins) {
            n++;
            if (!i || all.arrow[i - 1].id != all.arrow[i].id)
                wrong("an arrow ends where none has begun");
        }
    return n;
}

int main(int argc, char **argv)
{
    FILE *from = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!from || fseek(from, 0, SEEK_END))
        wrong("no file");
    long size = ftell(from);
    unsigned char *bytes = malloc((size_t)size + 1);
    rewind(from);
    if (!bytes || fread(bytes, 1, (size_t)size, from) != (size_t)size)
        wrong("it cannot be read");
    struct span s = {bytes, bytes + size};
    for (struct field f; take_field(&s, &f);) {
        if (f.number != 1)
            wrong("something else than a packet");
        see_packet(f.inside);
    }
    for (size_t i = 0; i < all.ntracks; i++)
        if (all.track[i].open)
            wrong("a slice does not end");
    size_t arrows = match_arrows();
    printf("%llu slices, %zu tracks, %zu processes, %zu arrows\n",
           (unsigned long long)all.slices, all.ntracks - all.nprocesses, all.nprocesses,
           arrows);
    free(bytes);
    free(all.arrow);
    fclose(from);
    return 0;
}
