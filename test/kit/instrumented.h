/*
 * instrumented.h - whether a sanitizer looks at each access: the program is then five to forty times as slow.
 *
 * Role: a constant for tests whose amounts or bounds depend on it.
 * Owner: none.
 */
#ifndef JDI_TEST_KIT_INSTRUMENTED_H
#define JDI_TEST_KIT_INSTRUMENTED_H

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { INSTRUMENTED = 1 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { INSTRUMENTED = 1 };
#else
enum { INSTRUMENTED = 0 };
#endif
#else
enum { INSTRUMENTED = 0 };
#endif

#endif
