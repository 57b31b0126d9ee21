/*
 * checkpoint.h - reads the files of a checkpoint from any bytes, for fuzzers.
 *
 * Role: what a fuzzer calls, and what a test replays.
 * Owner: one thread.
 * See: test/fuzz/checkpoint.c.
 */
#ifndef JDI_TEST_FUZZ_CHECKPOINT_H
#define JDI_TEST_FUZZ_CHECKPOINT_H

#include "core/base.h"

/* The bytes are a manifest and then the shares of ranks 0, 1...  Are they read to the end?  `seal`: with checksums
 * that are made to fit. */
bool fuzz_checkpoint_reads(const unsigned char *bytes, size_t n, bool seal);
/* The name that libFuzzer and AFL++ look for. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

#endif
