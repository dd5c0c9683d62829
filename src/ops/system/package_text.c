/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/package_text.h"

#include "base/json.h"

/* "Key: value" */
static bool field(struct str line, const char *key, struct str *ret_value)
{
	if (!str_starts(line, key))
		return false;
	*ret_value = str_trim((struct str){ line.p + strlen(key), line.len - strlen(key) });
	return true;
}

/* "install ok installed": only the last word tells. */
static bool ends_with_installed(struct str status)
{
	struct str word = { NULL, 0 };

	while (status.len)
		word = str_cut(&status, ' ');
	return str_is(word, "installed");
}

void package_parse_dpkg(struct str status, package_fn *fn, void *user)
{
	struct str name = { NULL, 0 }, version = { NULL, 0 }, state = { NULL, 0 };

	while (status.len) {
		struct str line = str_cut(&status, '\n');

		if (field(line, "Package:", &name) || field(line, "Version:", &version) ||
			field(line, "Status:", &state))
			line.len = 1;
		if (line.len && status.len)
			continue;
		/* A file of its own for each package, as in images without dpkg, has no state. */
		if (name.len && (!state.p || ends_with_installed(state)))
			fn(user, name, version);
		name = version = state = (struct str){ NULL, 0 };
	}
}

void package_parse_apk(struct str installed, package_fn *fn, void *user)
{
	struct str name = { NULL, 0 }, version = { NULL, 0 };

	while (installed.len) {
		struct str line = str_cut(&installed, '\n');

		if (field(line, "P:", &name) || field(line, "V:", &version))
			line.len = 1;
		if (line.len && installed.len)
			continue;
		if (name.len)
			fn(user, name, version);
		name = version = (struct str){ NULL, 0 };
	}
}

static const struct json *parse(struct arena *arena, char *text, size_t len)
{
	struct json_error where;
	struct json *value;

	return json_parse(arena, text, len, &value, &where) < 0 ? NULL : value;
}

static struct str text_of(const struct json *object, const char *key)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_STRING ? value->text : STR("");
}

void package_parse_pip(struct arena *arena, char *text, size_t len, package_fn *fn, void *user)
{
	const struct json *list = parse(arena, text, len);

	if (!list || list->type != JSON_ARRAY)
		return;
	for (const struct json *item = list->first; item; item = item->next) {
		if (text_of(item, "name").len)
			fn(user, text_of(item, "name"), text_of(item, "version"));
	}
}

void package_parse_npm(struct arena *arena, char *text, size_t len, package_fn *fn, void *user)
{
	const struct json *all = parse(arena, text, len);
	const struct json *packages = all ? json_get(all, "dependencies") : NULL;

	if (!packages || packages->type != JSON_OBJECT)
		return;
	for (const struct json *item = packages->first; item; item = item->next)
		fn(user, item->key, text_of(item, "version"));
}

/* "ripgrep v13.0.0 (/path):", then its programs, each behind blanks. */
void package_parse_cargo(struct str text, package_fn *fn, void *user)
{
	while (text.len) {
		struct str line = str_cut(&text, '\n');
		struct str name = str_cut(&line, ' ');
		struct str version = str_cut(&line, ' ');

		if (name.len == 0 || version.len < 2 || version.p[0] != 'v')
			continue;
		if (version.p[version.len - 1] == ':')
			version.len--;
		fn(user, name, (struct str){ version.p + 1, version.len - 1 });
	}
}
