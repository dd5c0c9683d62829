/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "ops/files/matcher.h"

#include <pcre2.h>
#include <stdlib.h>

enum {
	HEAP_LIMIT_KIB = 16 * 1024,
	STACK_FIRST = 32 * 1024,
	STACK_MAX = 1024 * 1024,
	STEPS_MAX = 1000 * 1000, /* for one place where a match may begin */
	STEPS_MIN = 10 * 1000,
	BYTE_STEPS = 500 * 1000 * 1000, /* a step may look at all of the line */
};

struct matcher {
	struct str literal; /* p NULL: code */
	char *literal_bytes;
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
};

static bool has_signs(struct str pattern)
{
	for (size_t i = 0; i < pattern.len; i++) {
		if (strchr("\\^$.|?*+()[]{}", pattern.p[i]))
			return true;
	}
	return false;
}

static int refuse(int number, size_t offset, struct err *err)
{
	PCRE2_UCHAR text[160];

	if (pcre2_get_error_message(number, text, sizeof text) < 0)
		text[0] = '\0';
	return err_set(err, ERR_ARGS_INVALID, "parameter 'pattern' is not a regular expression at offset %zu: %s",
		offset, (const char *)text);
}

static int compile(struct matcher *m, struct str pattern, struct matcher_how how, struct err *err)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C;
	PCRE2_SIZE offset = 0;
	int number = 0;

	/* What a fixed text may not be combined with does not matter for it. */
	if (how.literal)
		options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT | PCRE2_LITERAL;
	if (how.ignore_case)
		options |= PCRE2_CASELESS;
	m->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.len, options, &number, &offset, NULL);
	if (!m->code)
		return refuse(number, offset, err);
	m->data = pcre2_match_data_create(1, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context)
		return err_set(err, ERR_BUSY, "memory is used up");
	pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
	/* Where no code may be made at run time, it is interpreted. */
	if (pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE) == 0)
		m->stack = pcre2_jit_stack_create(STACK_FIRST, STACK_MAX, NULL);
	if (m->stack)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return 0;
}

struct matcher *matcher_new(struct str pattern, struct matcher_how how, struct err *err)
{
	struct matcher *m = mem_new(struct matcher);

	if (!pattern.len || str_has(pattern, '\0')) {
		err_set(err, ERR_ARGS_INVALID, "parameter 'pattern' is empty or holds a NUL, at offset 0");
		matcher_free(m);
		return NULL;
	}
	if (!how.ignore_case && (how.literal || !has_signs(pattern))) {
		m->literal_bytes = mem_alloc(pattern.len);
		memcpy(m->literal_bytes, pattern.p, pattern.len);
		m->literal = (struct str){ m->literal_bytes, pattern.len };
	} else if (compile(m, pattern, how, err) < 0) {
		matcher_free(m);
		return NULL;
	}
	return m;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pcre2_jit_stack_free(m->stack);
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	free(m->literal_bytes);
	free(m);
}

struct str matcher_literal(const struct matcher *m)
{
	return m->literal;
}

static enum matcher_result find_literal(
	const struct matcher *m, struct str text, size_t from, size_t until, size_t *ret_start, size_t *ret_end)
{
	size_t end = until - from > text.len - from ? text.len : MIN(text.len, until + m->literal.len - 1);
	const char *at = end > from ? memmem(text.p + from, end - from, m->literal.p, m->literal.len) : NULL;

	if (!at)
		return MATCHER_NONE;
	*ret_start = (size_t)(at - text.p);
	*ret_end = *ret_start + m->literal.len;
	return MATCHER_FOUND;
}

enum matcher_result matcher_find(
	struct matcher *m, const struct matcher_text *in, size_t from, size_t until, size_t *ret_start, size_t *ret_end)
{
	uint32_t options = (in->begin_cut ? PCRE2_NOTBOL : 0) | (in->end_cut ? PCRE2_NOTEOL : 0);
	const char *text = in->text.len ? in->text.p : "";
	const PCRE2_SIZE *offsets;
	size_t steps;
	int status;

	if (until <= from && from)
		return MATCHER_NONE;
	if (m->literal.p)
		return find_literal(m, in->text, from, until, ret_start, ret_end);
	steps = BYTE_STEPS / (in->text.len + 1);
	pcre2_set_match_limit(m->context, (uint32_t)MIN(MAX(steps, (size_t)STEPS_MIN), (size_t)STEPS_MAX));
	pcre2_set_offset_limit(m->context, until ? until - 1 : 0);
	if (until >= in->text.len)
		pcre2_set_offset_limit(m->context, PCRE2_UNSET); /* an empty match may stand at the very end */
	status = pcre2_match(m->code, (PCRE2_SPTR)text, in->text.len, from, options, m->data, m->context);
	if (status == PCRE2_ERROR_NOMATCH)
		return MATCHER_NONE;
	if (status < 0)
		return MATCHER_LIMIT; /* steps, memory or stack: nothing else is left to go wrong */
	offsets = pcre2_get_ovector_pointer(m->data);
	*ret_start = offsets[0];
	*ret_end = MAX(offsets[1], offsets[0]); /* \K in a look-around may turn them around */
	return MATCHER_FOUND;
}
