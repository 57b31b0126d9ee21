/*
 * tce_product.h - the product of two tiles, by OpenBLAS or by loops: configure chooses one of two files.
 *
 * Role: what the example tce does nearly all of its time.
 * Owner: whoever calls; any thread.
 * See: examples/tce_openblas.c, examples/tce_plain.c.
 */
#ifndef JDI_EXAMPLES_TCE_PRODUCT_H
#define JDI_EXAMPLES_TCE_PRODUCT_H

#include <stddef.h>

/* c += a b, for a with m rows and k columns, b with k rows and n columns, all by rows. */
void tce_product(double *c, const double *a, const double *b, size_t m, size_t n,
                 size_t k);
/* Before the first product: one thread each, because the tasks are what is parallel.  NULL, or why that many
 * workers of a rank cannot multiply at a time. */
const char *tce_product_begin(unsigned workers);
/* What computes the products. */
const char *tce_product_name(void);

#endif
