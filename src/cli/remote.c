/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/remote.h"

#include "base/base64.h"

#include <string.h>

enum { ARGS_MAX = 64 * 1024, ENTRIES_MAX = 100000 };

int remote_call(
	struct cli *cli, const char *op, struct str path, const char *option, bool value, struct reply *ret_reply)
{
	AUTOBUF struct buf body;
	struct json_writer w;
	struct api *api = cli_api(cli);

	buf_init(&body, ARGS_MAX);
	*ret_reply = (struct reply){ 0 };
	if (!api)
		return -1;
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", path);
	if (option) {
		json_key(&w, option);
		json_bool(&w, value);
	}
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the path is too long");
	return api_call(api, op, buf_str(&body), strcmp(op, "files.stat") == 0, ret_reply, &cli->problem);
}

char remote_type(const struct json *object)
{
	struct str type = reply_text(object, "type");

	if (str_is(type, "file"))
		return 'f';
	if (str_is(type, "directory"))
		return 'd';
	return str_is(type, "symlink") ? 'l' : 'o';
}

unsigned remote_mode(struct str octal)
{
	unsigned mode = 0;

	for (size_t i = 0; i < octal.len && octal.p[i] >= '0' && octal.p[i] <= '7'; i++)
		mode = mode * 8 + (unsigned)(octal.p[i] - '0');
	return mode & 07777;
}

int remote_stat(struct cli *cli, struct str path, bool follow, struct remote_stat *ret_stat)
{
	AUTOREPLY struct reply reply;

	if (remote_call(cli, "files.stat", path, "follow", follow, &reply) < 0 ||
		reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	*ret_stat = (struct remote_stat){
		.exists = reply_bool(reply.value, "exists", false),
		.type = remote_type(reply.value),
		.mode = remote_mode(reply_text(reply.value, "permissions")),
		.size = reply_int(reply.value, "size", 0),
	};
	return 0;
}

int remote_list(struct cli *cli, struct str path, bool hidden, struct reply *ret_reply)
{
	AUTOBUF struct buf body;
	struct json_writer w;
	struct api *api = cli_api(cli);

	buf_init(&body, ARGS_MAX);
	*ret_reply = (struct reply){ 0 };
	if (!api)
		return -1;
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", path);
	json_key(&w, "max_entries");
	json_int(&w, ENTRIES_MAX);
	json_key(&w, "hidden");
	json_bool(&w, hidden);
	json_object_end(&w);
	return api_call(api, "files.list", buf_str(&body), true, ret_reply, &cli->problem);
}

struct str remote_exact(const struct json *object, const char *key, const char *exact_key)
{
	struct str exact = reply_text(object, exact_key);
	ssize_t len;

	if (!exact.p)
		return reply_text(object, key);
	/* The text lies in the reply's own buffer. */
	len = base64_decode((char *)exact.p, exact);
	return len < 0 ? (struct str){ 0 } : (struct str){ exact.p, (size_t)len };
}

struct str remote_name(const struct json *entry)
{
	return remote_exact(entry, "name", "name_b64");
}

char *remote_join(struct str dir, struct str name)
{
	bool slash = dir.len && dir.p[dir.len - 1] != '/';
	char *path = mem_alloc(dir.len + slash + name.len + 1);

	if (dir.len)
		memcpy(path, dir.p, dir.len);
	if (slash)
		path[dir.len] = '/';
	if (name.len)
		memcpy(path + dir.len + slash, name.p, name.len);
	return path;
}

struct str remote_base(struct str path)
{
	size_t from;

	while (path.len && path.p[path.len - 1] == '/')
		path.len--;
	for (from = path.len; from && path.p[from - 1] != '/'; from--)
		;
	return (struct str){ path.p + from, path.len - from };
}
