/*
 * core_err_codes_have_texts.c
 *
 * Role: every error code has a text of its own, and any other number has one too.
 * Owner: one thread.
 * Invariants: I1 of core/err.c.
 * See: core/err.c.
 */
#include "core/base.h"
#include "test/kit/tap.h"

#include <string.h>

int main(void)
{
    static const int codes[] = {JD_OK,
#define CODE(name, value, text) name,
                                JD_ERRORS(CODE)
#undef CODE
    };
    const char *unknown = jd_strerror(-1000);

    is_str(jd_strerror(JD_ENOMEM), "out of memory", "the text that jackdaw.h promises");
    for (size_t i = 0; i < JDI_ARRAY_LEN(codes); i++) {
        const char *text = jd_strerror(codes[i]);
        bool own = *text && strcmp(text, unknown) != 0;
        for (size_t j = 0; j < i; j++)
            own = own && strcmp(text, jd_strerror(codes[j])) != 0;
        ok(own, "code %d has a text of its own: %s", codes[i], text);
    }
    ok(!strstr(jd_strerror(JD_ESTATE), "collection"),
       "JD_ESTATE does not speak of collections, because calls without one return it "
       "too");
    ok(*unknown && *jd_strerror(1), "numbers that are no codes have a text");
    return done_testing();
}
