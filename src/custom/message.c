/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/message.h"

#include <errno.h>

const char message_no_memory[] = "it needs more memory than is left";

static void begin(struct json_writer *w, struct buf *to, uint64_t id, const char *method)
{
	json_write_init(w, to);
	json_object_begin(w);
	json_key(w, "id");
	json_int(w, (int64_t)id);
	json_key(w, "method");
	json_string(w, method);
}

static void end(struct json_writer *w)
{
	json_object_end(w);
	buf_addc(w->out, '\n');
}

void message_describe(struct buf *to, uint64_t id)
{
	struct json_writer w;

	begin(&w, to, id, "describe");
	end(&w);
}

void message_call(struct buf *to, uint64_t id, const char *name, const struct args *args, const struct json *given)
{
	struct json_writer w;

	begin(&w, to, id, "call");
	json_key(&w, "name");
	json_string(&w, name);
	json_key(&w, "args");
	args_write(&w, args, given);
	end(&w);
}

void message_cancel(struct buf *to, uint64_t id)
{
	struct json_writer w;

	begin(&w, to, id, "cancel");
	end(&w);
}

static struct str text_of(const struct json *value)
{
	return value && value->type == JSON_STRING ? value->text : (struct str){ NULL, 0 };
}

static void take_error(const struct json *error, struct message *m)
{
	m->type = text_of(json_get(error, "type"));
	m->text = error->type == JSON_STRING ? error->text : text_of(json_get(error, "message"));
}

uint64_t message_id(struct str head)
{
	struct str digits;
	uint64_t id;

	if (!str_starts(head, "{\"id\":"))
		return 0;
	head.p += sizeof "{\"id\":" - 1;
	head.len -= sizeof "{\"id\":" - 1;
	digits = str_trim(str_cut(&head, ','));
	return str_to_u64(digits, &id) < 0 ? 0 : id;
}

/* A command may answer with what its language takes for JSON: that is its own failure, and not the worker's. */
static const char *refuse(
	struct arena *arena, struct str line, const struct json_error *problem, struct message *ret_message)
{
	uint64_t id = message_id(line);
	const char *text = arena_printf(
		arena, "its answer is JSON that is not taken: column %zu: %s", problem->column, problem->reason);

	if (!text)
		return message_no_memory;
	if (!id)
		return problem->reason;
	*ret_message = (struct message){ .id = id, .type = STR("WorkerError"), .text = str_of(text) };
	return NULL;
}

const char *message_parse(struct arena *arena, char *line, size_t len, struct message *ret_message)
{
	struct json_error problem;
	struct json *value;
	const struct json *id, *error;
	int status = json_parse(arena, line, len, &value, &problem);

	if (status < 0 && status != -ENOMEM && problem.is_json)
		return refuse(arena, (struct str){ line, len }, &problem, ret_message);
	if (status < 0)
		return status == -ENOMEM ? message_no_memory : "it is not JSON";
	if (value->type != JSON_OBJECT)
		return "it is not a JSON object";
	id = json_get(value, "id");
	if (!id || id->type != JSON_NUMBER || !id->is_integer || id->integer < 0)
		return "it has no 'id' that is a number of ours";
	*ret_message = (struct message){ .id = (uint64_t)id->integer, .result = json_get(value, "result") };
	error = json_get(value, "error");
	if (error && error->type == JSON_NULL)
		error = NULL;
	if (error && ret_message->result && ret_message->result->type == JSON_NULL)
		ret_message->result = NULL;
	if (!ret_message->result == !error)
		return "it has not one of 'result' and 'error'";
	if (error)
		take_error(error, ret_message);
	return NULL;
}
