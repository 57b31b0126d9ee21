/*
 * tce_openblas.c - the product of two tiles, by OpenBLAS.
 *
 * Role: see tce_product.h.
 * Owner: whoever calls; any thread.
 * See: tce_product.h.
 */
#include "examples/tce_product.h"

#include <cblas.h>

void tce_product(double *c, const double *a, const double *b, size_t m, size_t n,
                 size_t k)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m, (blasint)n,
                (blasint)k, 1, a, (blasint)k, b, (blasint)n, 1, c, (blasint)n);
}

/* A library that was made for no threads has one buffer for all who call it, in Debian at least. */
const char *tce_product_begin(unsigned workers)
{
    openblas_set_num_threads(1);
    if (workers > 1 && openblas_get_parallel() == OPENBLAS_SEQUENTIAL)
        return "this OpenBLAS was made for one thread: install one for threads, or set "
               "JACKDAW_WORKERS=1";
    return NULL;
}

const char *tce_product_name(void)
{
    return "OpenBLAS";
}
