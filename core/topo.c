/*
 * topo.c - cores as hwloc sees them.
 *
 * Role: load the machine, turn it into plain numbers, bind threads.
 * Owner: as topo.h says.
 * Invariants: I1 of topo.h: the mask read at the start bounds every later binding.
 *             I2 loading moves no thread and reads nothing but cores, PUs and NUMA nodes, so it takes
 *                a few milliseconds and disturbs nobody.
 * Order: none.
 * See: core/topo.h, core/topo_place.c (the decisions), test/unit/core_topo_*.
 */
#include "core/fault.h"
#include "core/topo_map.h"

#include <hwloc.h>
#include <string.h>
#include <unistd.h>

/* Groups are what hangs a NUMA node on the cores that are near it. */
static int only_cores(hwloc_topology_t machine, unsigned long flags)
{
    if (hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE) ||
        hwloc_topology_set_type_filter(machine, HWLOC_OBJ_CORE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL) ||
        hwloc_topology_set_type_filter(machine, HWLOC_OBJ_GROUP,
                                       HWLOC_TYPE_FILTER_KEEP_STRUCTURE) ||
        hwloc_topology_set_flags(machine, flags))
        return JD_ESYS;
    return 0;
}

/* Some virtual machines have no cores in their description: then each PU is a core. */
static uint16_t core_number(hwloc_obj_t pu)
{
    hwloc_obj_t up = pu;

    while (up && up->type != HWLOC_OBJ_CORE)
        up = up->parent;
    return (uint16_t)(up ? up->logical_index : pu->logical_index);
}

static void read_cores(struct jdi_topo *t)
{
    hwloc_topology_t machine = t->machine;
    hwloc_obj_t pu = NULL;

    for (unsigned i = 0; i < JDI_TOPO_PUS; i++)
        t->core_of[i] = JDI_TOPO_NO_CORE;
    while ((pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)))
        if (pu->os_index < JDI_TOPO_PUS) {
            int node = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : 0;
            t->core_of[pu->os_index] = core_number(pu);
            t->node_of[pu->os_index] = (uint16_t)(node > 0 ? node : 0);
        }
}

/* Where this thread may run now; everywhere, if the system does not say. */
static int read_mask(struct jdi_topo *t)
{
    hwloc_topology_t machine = t->machine;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (!set)
        return JD_ENOMEM;
    if (!t->here || hwloc_get_cpubind(machine, set, HWLOC_CPUBIND_THREAD))
        hwloc_bitmap_fill(set);
    for (unsigned i = 0; i < JDI_TOPO_PUS; i++)
        if (t->core_of[i] != JDI_TOPO_NO_CORE && hwloc_bitmap_isset(set, i))
            jdi_topo_mask_add(t->mask, i);
    hwloc_bitmap_free(set);
    return 0;
}

/* desc NULL: this machine. */
static int load(struct jdi_topo **out, const char *desc)
{
    struct jdi_topo *t = jdi_zalloc(NULL, sizeof *t);
    hwloc_topology_t machine;
    int error = JD_ESYS;

    if (!t)
        return JD_ENOMEM;
    t->here = !desc;
    if (hwloc_topology_init(&machine))
        goto free_topo;
    t->machine = machine;
    if ((desc && hwloc_topology_set_synthetic(machine, desc)) ||
        only_cores(machine, desc ? 0 : HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) ||
        hwloc_topology_load(machine))
        goto destroy_machine;
    read_cores(t);
    error = read_mask(t);
    if (error)
        goto destroy_machine;
    *out = t;
    return 0;

destroy_machine:
    hwloc_topology_destroy(machine);
free_topo:
    jdi_free(t);
    return error;
}

int jdi_topo_new(struct jdi_topo **out)
{
    return load(out, NULL);
}

int jdi_topo_new_synthetic(struct jdi_topo **out, const char *desc)
{
    return load(out, desc);
}

void jdi_topo_free(struct jdi_topo *t)
{
    if (!t)
        return;
    hwloc_topology_destroy(t->machine);
    jdi_free(t);
}

unsigned jdi_topo_ncores(const struct jdi_topo *t)
{
    uint16_t cores[JDI_TOPO_PUS];
    return jdi_topo_map_cores(t, t->mask, cores);
}

unsigned jdi_topo_npus(const struct jdi_topo *t)
{
    return jdi_topo_mask_count(t->mask);
}

void jdi_topo_self(const struct jdi_topo *t, struct jdi_topo_peer *out)
{
    memcpy(out->mask, t->mask, sizeof out->mask);
    out->threads = 0;
    out->pid = (uint64_t)getpid();
}

int jdi_topo_bind(const struct jdi_topo *t, const struct jdi_placement *p, unsigned slot)
{
    uint64_t mask[JDI_TOPO_MASK_WORDS];
    hwloc_bitmap_t set;
    int refused;

    if (p->bind == JDI_BIND_NONE)
        return 0;
    set = t->here ? hwloc_bitmap_alloc() : NULL;
    if (!set)
        return JD_ESYS;
    jdi_topo_place_mask(t, p, slot, mask);
    for (unsigned i = 0; i < JDI_TOPO_PUS; i++)
        if (jdi_topo_mask_has(mask, i))
            hwloc_bitmap_set(set, i);
    refused = hwloc_set_cpubind(t->machine, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
    return refused ? JD_ESYS : 0;
}
