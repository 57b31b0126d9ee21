/*
 * probe.h - one rank of a detector, with everything it says written down.
 *
 * Role: for unit tests that play all the other ranks by hand.
 * Invariants: I1 the last JDI_PROBE_SENT messages are kept, in order.
 * See: test/unit/termination_francez_*.c.
 */
#ifndef JDI_CONFORM_PROBE_H
#define JDI_CONFORM_PROBE_H

#include "core/base.h"
#include "termination/detector.h"

enum { JDI_PROBE_SENT = 16, JDI_PROBE_TD = 1024 };

struct jdi_probe {
    const struct jdi_td_ops *ops;
    bool idle;                   /* what the detector is told; true at first */
    uint64_t stat[JDI_TD_STATS]; /* the same */
    unsigned nsent;
    uint32_t dst[JDI_PROBE_SENT];
    struct jdi_td_msg msg[JDI_PROBE_SENT];
    unsigned announced;   /* how often */
    uint32_t phase;       /* the last one announced */
    unsigned sent_before; /* messages sent when it was */
    uint64_t result[JDI_TD_STATS];
    _Alignas(16) unsigned char td[JDI_PROBE_TD];
};

void jdi_probe_init(struct jdi_probe *p, const struct jdi_td_ops *ops,
                    const struct jdi_td_config *c);
/* The detector's step, after its check. */
uint64_t jdi_probe_step(struct jdi_probe *p, uint64_t now);
void jdi_probe_message(struct jdi_probe *p, uint32_t src, struct jdi_td_msg m);
/* The i-th message it sent. */
const struct jdi_td_msg *jdi_probe_sent(const struct jdi_probe *p, unsigned i);

#endif
