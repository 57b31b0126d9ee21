/*
 * remote.h - a scope between ranks: the communication hand's part and its detector.
 *
 * Role: gives the tokens that travel with tasks, and says when all of them have come back.
 * Owner: the communication hand.
 * Invariants: I1 a part has one of these exactly while tasks of its scope may be on other
 *                ranks, or the scope came from another.
 *             I2 it is found by the scope's name.
 * See: doc/async.md "Between ranks", "Two rules"; termination/rooted.h.
 */
#ifndef JDI_SCHED_FINISH_REMOTE_H
#define JDI_SCHED_FINISH_REMOTE_H

#include "sched/finish/part.h"
#include "termination/rooted.h"

/* The home of the scope that jd_finish_spmd opens on all ranks. */
#define JDI_HOME_ALL UINT32_MAX

struct jdi_remote {
    struct jdi_keyed key; /* first; by number and home */
    struct jdi_part *part;
    bool all; /* of jd_finish_spmd: the collections' detector's, not this one's */
    struct jdi_rooted rooted; /* not for all */
    uint64_t message;         /* the last one with tasks of it that was packed, */
    uint32_t group;           /* and its place in that */
};

/* Communication hand, all of them.  Ends the job when out of memory. */
struct jdi_remote *jdi_remote_find(const struct jdi_rank *r, jd_finish_id id);
/* That of p, made if it has none yet: p is live, at the scope's home or on its way. */
struct jdi_remote *jdi_remote_of(struct jdi_part *p);
/* For jd_finish_spmd. */
struct jdi_remote *jdi_remote_all(struct jdi_part *p);
/* p is not live: true if its scope has ended on the other ranks too, or this rank has given
 * back what it holds; p->remote is then gone. */
bool jdi_remote_ended(struct jdi_part *p);
void jdi_remote_free(struct jdi_remote *a);

/*
 * How often weight is halved before who holds it becomes a giver itself.  A giver gets at most
 * 2^8 answers for each of its tokens, however far the tasks have spread.
 */
enum { JDI_REMOTE_EXPONENT = 8 };

/* That of JACKDAW_FINISH. */
static inline const struct jdi_rooted_rule *jdi_remote_rule(const struct jdi_rank *r)
{
    return jdi_rooted_rule_at((size_t)r->knobs.finish);
}
/* The most that a token's exponent may be. */
static inline uint8_t jdi_remote_exponent(const struct jdi_rank *r)
{
    uint8_t most = jdi_remote_rule(r)->max_exponent;
    return most < JDI_REMOTE_EXPONENT ? most : JDI_REMOTE_EXPONENT;
}

/* The handler of JDI_MSG_SCOPE. */
void jdi_remote_init(struct jdi_rank *r);

#endif
