/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS_MAX = 32 };

struct parse {
	struct args *args;
	int argc, at;
	char **argv;
	const struct flag *own, *shared;
	struct problem *p;
};

static const struct flag *find(const struct flag *flags, struct str name, char letter)
{
	for (; flags && flags->name; flags++) {
		if (letter ? flags->letter == letter : str_is(name, flags->name))
			return flags;
	}
	return NULL;
}

static const struct flag *find_any(const struct parse *parse, struct str name, char letter)
{
	const struct flag *flag = find(parse->own, name, letter);

	return flag ? flag : find(parse->shared, name, letter);
}

static int unknown_flag(const struct parse *parse, struct str name)
{
	const char *names[2 * FLAGS_MAX + 1];
	size_t count = 0;
	const char *near;

	for (const struct flag *f = parse->own; f && f->name && count < FLAGS_MAX; f++)
		names[count++] = f->name;
	for (const struct flag *f = parse->shared; f && f->name && count < ARRAY_LEN(names) - 1; f++)
		names[count++] = f->name;
	names[count] = NULL;
	near = str_nearest(name, names);
	if (near)
		return problem_set(parse->p, EXIT_USAGE, "unknown flag '--" STR_FMT "'; did you mean '--%s'?",
			STR_ARG(name), near);
	return problem_set(parse->p, EXIT_USAGE, "unknown flag '--" STR_FMT "'", STR_ARG(name));
}

static void add(struct parse *parse, const struct flag *flag, const char *value)
{
	parse->args->given[parse->args->given_count++] = (struct given){ flag, value };
}

static int add_from_next(struct parse *parse, const struct flag *flag)
{
	if (parse->at >= parse->argc)
		return problem_set(parse->p, EXIT_USAGE, "'--%s' needs a value: %s", flag->name, flag->value);
	add(parse, flag, parse->argv[parse->at++]);
	return 0;
}

static int parse_long(struct parse *parse, const char *text)
{
	struct str value = str_of(text), name = str_cut(&value, '=');
	const struct flag *flag = find_any(parse, name, '\0');
	bool has_value = name.len < strlen(text);

	if (!flag)
		return unknown_flag(parse, name);
	if (has_value && !flag->value)
		return problem_set(parse->p, EXIT_USAGE, "'--%s' takes no value", flag->name);
	if (!flag->value || has_value) {
		add(parse, flag, has_value ? value.p : NULL);
		return 0;
	}
	return add_from_next(parse, flag);
}

static int parse_letters(struct parse *parse, const char *letters)
{
	for (; *letters; letters++) {
		const struct flag *flag = find_any(parse, (struct str){ 0 }, *letters);

		if (!flag)
			return problem_set(parse->p, EXIT_USAGE, "unknown flag '-%c'", *letters);
		if (!flag->value) {
			add(parse, flag, NULL);
			continue;
		}
		if (!letters[1])
			return add_from_next(parse, flag);
		add(parse, flag, letters + 1);
		return 0;
	}
	return 0;
}

static bool is_flag(const char *text)
{
	return text[0] == '-' && text[1] != '\0';
}

int args_parse(struct args *ret_args, int argc, char **argv, const struct flag *own, const struct flag *shared,
	bool stop_at_word, struct problem *p)
{
	struct parse parse = { .args = ret_args, .argc = argc, .argv = argv, .own = own, .shared = shared, .p = p };
	size_t letters = 1;

	/* A word of n letters gives at most n flags. */
	for (int i = 0; i < argc; i++)
		letters += strlen(argv[i]);
	*ret_args = (struct args){ 0 };
	ret_args->given = mem_alloc(letters * sizeof *ret_args->given);
	ret_args->words = mem_alloc(((size_t)argc + 1) * sizeof *ret_args->words);
	while (parse.at < argc) {
		char *text = argv[parse.at++];
		bool ends = strcmp(text, "--") == 0;

		ret_args->dashes = ret_args->dashes || ends;
		if (!ends && is_flag(text)) {
			if ((text[1] == '-' ? parse_long(&parse, text + 2) : parse_letters(&parse, text + 1)) < 0)
				return -1;
			continue;
		}
		if (!ends)
			ret_args->words[ret_args->word_count++] = text;
		while ((ends || stop_at_word) && parse.at < argc)
			ret_args->words[ret_args->word_count++] = argv[parse.at++];
	}
	return 0;
}

void args_free(struct args *args)
{
	free(args->given);
	free(args->words);
	*args = (struct args){ 0 };
}

const char *args_next(const struct args *args, const char *name, size_t *at)
{
	while (*at < args->given_count) {
		const struct given *given = &args->given[(*at)++];

		if (strcmp(given->flag->name, name) == 0)
			return given->value ? given->value : "";
	}
	return NULL;
}

const char *args_value(const struct args *args, const char *name)
{
	const char *value, *last = NULL;
	size_t at = 0;

	while ((value = args_next(args, name, &at)))
		last = value;
	return last;
}

bool args_has(const struct args *args, const char *name)
{
	return args_value(args, name) != NULL;
}

int args_count(const struct args *args, const char *name, int64_t absent, int64_t *ret_count, struct problem *p)
{
	const char *text = args_value(args, name);
	uint64_t value = 0;

	if (text && (str_to_u64(str_of(text), &value) < 0 || value > INT64_MAX))
		return problem_set(p, EXIT_USAGE, "--%s is a number, not '%s'", name, text);
	*ret_count = text ? (int64_t)value : absent;
	return 0;
}

int args_seconds(const char *text, double *ret_seconds, struct problem *p)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value < 0)
		return problem_set(p, EXIT_USAGE, "'%s' is not a number of seconds", text);
	*ret_seconds = value;
	return 0;
}
