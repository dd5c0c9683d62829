/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/patch.h"

#include <errno.h>

struct hunk {
	uint64_t a_first, a_count, b_first, b_count;
};

struct patching {
	struct buf *out;
	struct str text, patch;       /* what is left of them */
	size_t text_line, patch_line; /* of the last line taken */
	size_t hunks;
	bool ended; /* the last line that was put out has no newline */
	struct patch_fault *fault;
};

static int fault(struct patching *p, int status, size_t text_line, const char *why)
{
	*p->fault = (struct patch_fault){
		.patch_line = p->patch_line, .hunk = p->hunks, .text_line = text_line, .why = why
	};
	return status;
}

static struct str take_line(struct str *text, size_t *number)
{
	const char *end = text->len ? memchr(text->p, '\n', text->len) : NULL;
	struct str line = { text->p, end ? (size_t)(end + 1 - text->p) : text->len };

	text->p += line.len;
	text->len -= line.len;
	*number += 1;
	return line;
}

static int put(struct patching *p, struct str line)
{
	if (p->ended)
		return fault(p, -EINVAL, 0, "a line without a newline is not the last one");
	buf_add(p->out, line.p, line.len);
	p->ended = line.len && line.p[line.len - 1] != '\n';
	return 0;
}

/* "12" or "12,3" behind the sign; the count is 1 where it is not given. */
static bool parse_range(struct str *line, const char *sign, uint64_t *ret_first, uint64_t *ret_count)
{
	struct str range, first;

	if (!str_starts(*line, sign))
		return false;
	line->p += strlen(sign);
	line->len -= strlen(sign);
	range = str_cut(line, ' ');
	first = str_cut(&range, ',');
	*ret_count = 1;
	return str_to_u64(first, ret_first) == 0 && (!range.len || str_to_u64(range, ret_count) == 0);
}

static bool parse_head(struct str line, struct hunk *hunk)
{
	struct str at = line;

	return str_starts(at, "@@ ") && parse_range(&at, "@@ -", &hunk->a_first, &hunk->a_count) &&
	       parse_range(&at, "+", &hunk->b_first, &hunk->b_count) && str_starts(at, "@@");
}

/* All of the text in front of the hunk. */
static int go_to(struct patching *p, const struct hunk *hunk)
{
	uint64_t before = hunk->a_count ? hunk->a_first - 1 : hunk->a_first;
	int status = 0;

	if (hunk->a_count && !hunk->a_first)
		return fault(p, -EINVAL, 0, "the hunk begins at line 0");
	if (before < p->text_line)
		return fault(p, -EINVAL, 0, "the hunk begins before the end of the one above");
	while (status == 0 && p->text_line < before) {
		if (!p->text.len)
			return fault(p, -ENOENT, p->text_line + 1, "the text ends before the hunk");
		status = put(p, take_line(&p->text, &p->text_line));
	}
	return status;
}

/* A line of the patch without its mark; "\ No newline" behind it takes its newline away. */
static struct str content(struct patching *p, struct str line)
{
	static const struct str newline = { "\n", 1 };

	if (line.len && line.p[0] != '\n' &&
		line.p[0] != '\r') { /* an empty line stands for an empty line of context */
		line.p++;
		line.len--;
	}
	if (p->patch.len && p->patch.p[0] == '\\') {
		take_line(&p->patch, &p->patch_line);
		if (line.len && line.p[line.len - 1] == '\n')
			line.len--;
	} else if (!line.len) {
		return newline; /* the patch itself ends here, without one */
	}
	return line;
}

/* The patch's last line may lack a newline that it stands for. */
static bool is_line(struct str wanted, struct str found, bool at_end)
{
	if (str_eq(wanted, found))
		return true;
	return at_end && found.len == wanted.len + 1 && found.p[wanted.len] == '\n' &&
	       memcmp(found.p, wanted.p, wanted.len) == 0;
}

static int match(struct patching *p, struct str wanted, bool cut_off, struct str *ret_found)
{
	size_t number = p->text_line + 1;

	if (!p->text.len)
		return fault(p, -ENOENT, number, "the text ends before the hunk does");
	*ret_found = take_line(&p->text, &p->text_line);
	return is_line(wanted, *ret_found, cut_off) ? 0 : fault(p, -ENOENT, number, "the line is another one");
}

/* An added line; the patch may have ended in the middle of it. */
static int add(struct patching *p, struct str line, bool cut_off)
{
	int status = put(p, line);

	if (status == 0 && cut_off && line.len && line.p[line.len - 1] != '\n') {
		buf_addc(p->out, '\n');
		p->ended = false;
	}
	return status;
}

static int apply_line(struct patching *p, struct hunk *left)
{
	struct str raw = take_line(&p->patch, &p->patch_line), line, found;
	char mark = raw.len && raw.p[0] != '\n' && raw.p[0] != '\r' ? raw.p[0] : ' ';
	bool cut_off = !p->patch.len && raw.len && raw.p[raw.len - 1] != '\n';
	int status;

	if (mark != ' ' && mark != '-' && mark != '+')
		return fault(p, -EINVAL, 0, "a line of a hunk begins with ' ', '-' or '+'");
	if ((mark != '+' && !left->a_count) || (mark != '-' && !left->b_count))
		return fault(p, -EINVAL, 0, "the hunk has more lines than its head says");
	line = content(p, raw);
	left->a_count -= mark != '+';
	left->b_count -= mark != '-';
	if (mark == '+')
		return add(p, line, cut_off);
	status = match(p, line, cut_off, &found);
	return status == 0 && mark == ' ' ? put(p, found) : status;
}

static int apply_hunk(struct patching *p, struct str head)
{
	struct hunk hunk;
	int status;

	p->hunks++;
	if (!parse_head(head, &hunk))
		return fault(p, -EINVAL, 0, "a hunk begins with '@@ -LINE,COUNT +LINE,COUNT @@'");
	status = go_to(p, &hunk);
	while (status == 0 && (hunk.a_count || hunk.b_count)) {
		if (!p->patch.len)
			return fault(p, -EINVAL, 0, "the hunk has fewer lines than its head says");
		status = apply_line(p, &hunk);
	}
	return status;
}

static int apply_all(struct patching *p)
{
	size_t files = 0;
	int status = 0;

	while (status == 0 && p->patch.len) {
		struct str line = take_line(&p->patch, &p->patch_line);

		if (str_starts(line, "@@"))
			status = apply_hunk(p, line);
		else if (str_starts(line, "--- ") && ++files > 1)
			return fault(p, -EINVAL, 0, "the patch is for more than one file");
		else if (p->hunks && str_trim(line).len > 1)
			return fault(p, -EINVAL, 0, "the line belongs to no hunk");
	}
	if (status == 0 && !p->hunks)
		return fault(p, -EINVAL, 0, "the patch has no hunk");
	return status;
}

int patch_apply(struct buf *out, struct str text, struct str patch, struct patch_fault *ret_fault, size_t *ret_hunks)
{
	struct patching p = { .out = out, .text = text, .patch = patch, .fault = ret_fault };
	int status = apply_all(&p);

	if (status == 0 && p.text.len)
		status = put(&p, p.text);
	*ret_hunks = p.hunks;
	return status;
}
