/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/git_status_text.h"

#include <errno.h>

static int64_t to_count(struct str text)
{
	uint64_t value;

	if (text.len < 2 || str_to_u64((struct str){ text.p + 1, text.len - 1 }, &value) < 0)
		return 0;
	return (int64_t)value;
}

/* "branch.ab +1 -2"; what is not known is passed over, as git's manual asks. */
static void read_header(struct str line, struct git_branch *branch)
{
	struct str name = str_cut(&line, ' ');

	if (str_is(name, "branch.oid") && !str_is(line, "(initial)")) {
		branch->commit = line;
	} else if (str_is(name, "branch.head") && !str_is(line, "(detached)")) {
		branch->name = line;
	} else if (str_is(name, "branch.upstream")) {
		branch->upstream = line;
	} else if (str_is(name, "branch.ab")) {
		branch->ahead = to_count(str_cut(&line, ' '));
		branch->behind = to_count(line);
	}
}

static bool change_of(char letter, enum git_change *ret_change)
{
	static const char letters[] = "MTADRC";
	static const enum git_change changes[] = { GIT_MODIFIED, GIT_MODIFIED, GIT_ADDED, GIT_DELETED, GIT_RENAMED,
		GIT_COPIED };
	const char *at = letter ? strchr(letters, letter) : NULL;

	if (at)
		*ret_change = changes[at - letters];
	return at != NULL;
}

/* "XY sub mH mI mW hH hI [Xscore] path", of which the path may hold blanks. */
static int read_tracked(struct str line, bool has_old, struct str *rest, struct git_entry *entry)
{
	struct str letters = str_cut(&line, ' ');

	if (letters.len != 2)
		return -EINVAL;
	for (int i = 0; i < (has_old ? 7 : 6); i++)
		str_cut(&line, ' ');
	entry->path = line;
	if (has_old)
		entry->old_path = str_cut(rest, '\0');
	entry->has_staged = change_of(letters.p[0], &entry->staged);
	entry->has_unstaged = change_of(letters.p[1], &entry->unstaged);
	return line.len ? 1 : -EINVAL;
}

/* "XY sub m1 m2 m3 mW h1 h2 h3 path" */
static int read_unmerged(struct str line, struct git_entry *entry)
{
	for (int i = 0; i < 9; i++)
		str_cut(&line, ' ');
	entry->path = line;
	entry->has_unstaged = true;
	entry->unstaged = GIT_UNMERGED;
	return line.len ? 1 : -EINVAL;
}

int git_status_next(struct str *rest, struct git_branch *branch, struct git_entry *ret_entry)
{
	while (rest->len) {
		struct str line = str_cut(rest, '\0');
		struct str kind = str_cut(&line, ' ');

		*ret_entry = (struct git_entry){ 0 };
		if (str_is(kind, "#")) {
			read_header(line, branch);
		} else if (str_is(kind, "1") || str_is(kind, "2")) {
			return read_tracked(line, kind.p[0] == '2', rest, ret_entry);
		} else if (str_is(kind, "u")) {
			return read_unmerged(line, ret_entry);
		} else if (str_is(kind, "?")) {
			ret_entry->path = line;
			ret_entry->has_unstaged = true;
			ret_entry->unstaged = GIT_UNTRACKED;
			return line.len ? 1 : -EINVAL;
		} else if (!str_is(kind, "!")) {
			return -EINVAL;
		}
	}
	return 0;
}
