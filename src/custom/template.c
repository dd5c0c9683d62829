/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/template.h"

/* Literal text up to '{' or the end, its doubled braces made single, in a copy. */
static const char *take_literal(struct hold *hold, const char **text, struct str *ret_literal)
{
	char *copy = hold_text(hold, str_of(*text));
	size_t len = 0;

	while (**text && (**text != '{' || (*text)[1] == '{')) {
		if (**text == '}' && (*text)[1] != '}')
			return "a '}' without its '{'; a brace itself is '}}'";
		*text += **text == '{' || **text == '}';
		copy[len++] = *(*text)++;
	}
	*ret_literal = (struct str){ copy, len };
	return NULL;
}

static const char *take_name(struct hold *hold, const char **text, const char **ret_name)
{
	struct str name = str_of(*text + 1);

	if (!strchr(*text, '}'))
		return "a '{' without its '}'; a brace itself is '{{'";
	name.len = (size_t)(strchr(*text, '}') - *text) - 1;
	if (!arg_name_valid(name))
		return "the name of an argument is wanted between '{' and '}'; a brace itself is '{{'";
	*ret_name = hold_text(hold, name);
	*text = name.p + name.len + 1;
	return NULL;
}

const char *template_parse(struct hold *hold, const char *text, struct template *ret_template)
{
	size_t count = 1;
	struct template_piece *piece;
	const char *problem;

	for (const char *c = text; *c; c++)
		count += *c == '{';
	piece = ret_template->pieces = hold_array(hold, struct template_piece, count);
	for (;;) {
		problem = take_literal(hold, &text, &piece->literal);
		if (problem || !*text)
			return problem;
		problem = take_name(hold, &text, &piece->arg);
		if (problem)
			return problem;
		piece++;
	}
}

void template_fill(const struct template *t, const struct args *args, const struct json *given, struct buf *to)
{
	for (const struct template_piece *piece = t->pieces;; piece++) {
		struct str value;

		if (piece->literal.len)
			buf_add(to, piece->literal.p, piece->literal.len);
		if (!piece->arg)
			return;
		value = arg_text(args_find(args, str_of(piece->arg)), given);
		if (value.len)
			buf_add(to, value.p, value.len);
	}
}
