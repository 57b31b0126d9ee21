/*
 * remote.h - a finish between ranks: the communication hand's part and its detector.
 *
 * Role: gives the tokens that travel with tasks, and says when all of them have come back.
 * Owner: the communication hand.
 * Invariants: I1 a part has a remote exactly while tasks of its finish may be on other ranks, or
 *                if the finish came from another rank.
 *             I2 a remote is found by the name of its finish.
 * See: doc/async.md "Between ranks", "Two rules"; termination/rooted.h.
 */
#ifndef JDI_SCHED_FINISH_REMOTE_H
#define JDI_SCHED_FINISH_REMOTE_H

#include "sched/finish/part.h"
#include "termination/rooted.h"

/* The home in the name of a finish of all ranks (jd_finish_spmd). */
#define JDI_HOME_ALL UINT32_MAX

struct jdi_remote {
    struct jdi_keyed key; /* first; by number and home */
    struct jdi_part *part;
    bool all; /* of jd_finish_spmd: the detector of collections finds its end */
    struct jdi_rooted rooted; /* unused if `all` */
    uint64_t message;         /* number of the last packed message with its tasks */
    uint32_t group;           /* its group in that message */
    uint64_t arrival;         /* number of the last message that brought its tasks */
};

/* All functions here: communication hand; they end the job when out of memory. */
struct jdi_remote *jdi_remote_find(const struct jdi_rank *r, jd_finish_id id);
/* The remote of p, made if p has none.  p is live, at the home of its finish, or about to become
 * live. */
struct jdi_remote *jdi_remote_of(struct jdi_part *p);
/* Make the remote of a finish of all ranks. */
struct jdi_remote *jdi_remote_all(struct jdi_part *p);
/* p is not live.  True if its finish has also ended on the other ranks, or if this rank has given
 * back what it owed; then p->remote is freed. */
bool jdi_remote_ended(struct jdi_part *p);
void jdi_remote_free(struct jdi_remote *a);

/*
 * How often a weight is halved before its holder becomes a giver itself.  A giver gets at most 2^8
 * answers for each of its tokens, however far the tasks have spread.
 */
enum { JDI_REMOTE_EXPONENT = 8 };

/* The rule that JACKDAW_FINISH selects. */
static inline const struct jdi_rooted_rule *jdi_remote_rule(const struct jdi_rank *r)
{
    return jdi_rooted_rule_at((size_t)r->knobs->finish);
}
/* The largest exponent that a token may have. */
static inline uint8_t jdi_remote_exponent(const struct jdi_rank *r)
{
    uint8_t most = jdi_remote_rule(r)->max_exponent;
    return most < JDI_REMOTE_EXPONENT ? most : JDI_REMOTE_EXPONENT;
}

/* The handler of JDI_MSG_SCOPE. */
void jdi_remote_init(struct jdi_rank *r);

#endif
