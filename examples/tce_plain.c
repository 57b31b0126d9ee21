/*
 * tce_plain.c - the product of two tiles, by loops.
 *
 * Role: see tce_product.h; what there is without OpenBLAS.
 * Owner: whoever calls; any thread.
 * See: tce_product.h.
 */
#include "examples/tce_product.h"

void tce_product(double *c, const double *a, const double *b, size_t m, size_t n,
                 size_t k)
{
    for (size_t i = 0; i < m; i++)
        for (size_t x = 0; x < k; x++)
            for (size_t j = 0; j < n; j++)
                c[i * n + j] += a[i * k + x] * b[x * n + j];
}

const char *tce_product_begin(unsigned workers)
{
    (void)workers;
    return NULL;
}

const char *tce_product_name(void)
{
    return "plain loops (configure has not found OpenBLAS)";
}
