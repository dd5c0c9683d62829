/* SPDX-License-Identifier: Apache-2.0 */
#include "server/audit.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "call/counters.h"
#include "loop/line_file.h"
#include "policy/config.h"
#include "policy/mask.h"
#include "policy/place.h"
#include "policy/policy_file.h"

#include <stdlib.h>

enum {
	QUEUE_MAX = 1024 * 1024,
	JSON_MAX = 2600,  /* bytes of JSON; with all the rest a line stays below LINE_FILE_LINE_MAX */
	GIVEN_MAX = 4096, /* bytes of a text that are looked at for secrets, */
	SHOWN_MAX = 1024, /* and that are written */
	UNSURE_MAX = 512, /* at the end of what was cut: a secret may be cut in two there */
	TARGET_MAX = 128,
};
#define END_WAIT_NS (2 * NS_PER_S)

static struct {
	struct line_file *file;
	bool on, is_failing;
	struct audit_ops ops;
	struct policy *policy; /* holds ops */
} audit;

bool audit_is_on(void)
{
	return audit.on;
}

static uint64_t count_written(void *user)
{
	return line_file_figures(user).written;
}

static uint64_t count_lost(void *user)
{
	return line_file_figures(user).lost;
}

static void send_to(int fd)
{
	if (audit.file) {
		line_file_switch(audit.file, fd);
		return;
	}
	audit.file = line_file_new(fd, QUEUE_MAX);
	counters_ask(COUNTER_AUDITED, count_written, audit.file);
	counters_ask(COUNTER_AUDIT_LOST, count_lost, audit.file);
}

static int refuse(const struct policy *policy, int number, struct err *err)
{
	err_set(err, ERR_ARGS_INVALID, "audit.file: cannot open '%s': %s", policy_config(policy)->audit.file,
		strerrordesc_np(number));
	policy_file_place(policy_config(policy), err);
	return -1;
}

int audit_check(const struct policy *policy, struct err *err)
{
	const char *path = policy_config(policy)->audit.file;
	int status = path[0] ? line_file_try(path) : 0;

	return status < 0 ? refuse(policy, -status, err) : 0;
}

int audit_use(const struct policy *policy, struct err *err)
{
	const char *path = policy_config(policy)->audit.file;
	int fd = path[0] ? line_file_open(path) : -1;

	if (path[0] && fd < 0)
		return refuse(policy, -fd, err);
	if (audit.on || fd >= 0)
		send_to(fd);
	policy_unref(audit.policy);
	audit.policy = policy_ref((struct policy *)policy);
	audit.ops = policy_config(policy)->audit.ops;
	audit.on = fd >= 0;
	return 0;
}

void audit_end(void)
{
	line_file_free(take_ptr(audit.file), END_WAIT_NS);
	policy_unref(take_ptr(audit.policy));
	audit.on = false;
}

/* Told once when it begins and once when it is over. */
static void log_failure(void)
{
	struct line_file_figures figures = line_file_figures(audit.file);
	bool is_failing = figures.number != 0;

	if (is_failing && !audit.is_failing)
		log_event(LOG_ERROR, "audit", "failed=\"%s\" lost=%llu", strerrordesc_np(figures.number),
			(unsigned long long)figures.lost);
	else if (!is_failing && audit.is_failing)
		log_event(LOG_WARN, "audit", "works_again=1 lost=%llu", (unsigned long long)figures.lost);
	audit.is_failing = is_failing;
}

static bool is_listed(const struct op *op)
{
	for (texts id = audit.ops.ids; op && *id; id++) {
		if (strcmp(*id, op->id) == 0 || (op->is_dynamic && strcmp(*id, POLICY_EVERY_COMMAND) == 0))
			return true;
	}
	return false;
}

/* Refused: before the op ran, by the policy or for want of credentials. */
static bool is_refused(const struct serving *s)
{
	return s->refused || (s->status >= 400 && s->call.err.rule[0]);
}

static bool is_wanted(const struct serving *s)
{
	const struct op *op = s->call.op;

	if (is_refused(s))
		return true;
	switch (audit.ops.which) {
	case AUDIT_ALL:
		return true;
	case AUDIT_WRITES:
		return op && (op->effects & (OP_WRITES | OP_RUNS));
	case AUDIT_LISTED:
		return is_listed(op);
	}
	return true;
}

void audit_begin(struct serving *s, const struct head *head)
{
	struct str line = head_get(head, "authorization"), target = head->target;

	if (!audit.on)
		return;
	str_cut(&line, ' ');
	if (line.p)
		s->secret = (struct str){ arena_strndup(&s->call.arena, line.p, line.len), line.len };
	if (s->call.op)
		return;
	target = str_cut(&target, '?'); /* a query may hold what nobody should see again */
	s->target = arena_printf(&s->call.arena, STR_FMT " " STR_FMT, (int)MIN(head->method.len, 16), head->method.p,
		(int)MIN(target.len, TARGET_MAX), target.p);
}

static void mask_known(const struct serving *s, struct buf *text)
{
	policy_mask(s->policy, text);
	/* Where no token is asked for, what a caller sends as one would only serve to hide its own call. */
	if (s->secret.p && policy_has_tokens(s->policy))
		mask_value(text, s->secret);
}

/* The rows' values as members of one object, until there is no more room. */
struct shown_args {
	const struct serving *s;
	struct json_writer w;
	struct buf json;
	bool cut;
	struct mask_carry carry;
};

/* A text without its secrets, as a JSON string; false when it does not fit. */
static bool add_text(struct shown_args *a, struct str text, bool is_command)
{
	AUTOBUF struct buf given, masked, quoted;
	struct json_writer w;
	bool was_cut = text.len > GIVEN_MAX;
	struct str shown;

	buf_init(&given, 4 * GIVEN_MAX);
	buf_init(&masked, 4 * GIVEN_MAX);
	buf_init(&quoted, JSON_MAX);
	buf_add(&given, text.p, MIN(text.len, (size_t)GIVEN_MAX));
	mask_known(a->s, &given);
	if (is_command)
		mask_credentials(&masked, buf_str(&given), &a->carry);
	else
		buf_add(&masked, given.data, given.len);
	shown = buf_str(&masked);
	if (was_cut)
		shown.len -= MIN(shown.len, (size_t)UNSURE_MAX);
	if (shown.len > SHOWN_MAX) {
		shown.len = utf8_cut(shown, SHOWN_MAX);
		was_cut = true;
	}
	a->cut |= was_cut;
	json_write_init(&w, &quoted);
	json_text(&w, shown);
	if (buf_failed(&quoted) || a->json.len + quoted.len > JSON_MAX) {
		a->cut = true;
		json_string(&a->w, "");
		return false;
	}
	json_raw(&a->w, buf_str(&quoted));
	return true;
}

static struct str path_text(const struct path_arg *path)
{
	return path->place ? str_of(path->place->path) : path->given;
}

static void add_list(struct shown_args *a, const struct field *field, const struct list *list)
{
	json_array_begin(&a->w);
	a->carry = (struct mask_carry){ 0 };
	for (size_t i = 0; i < list->count && !(a->json.len > JSON_MAX - 64); i++) {
		if (field->item_type == FIELD_PATH) {
			if (!add_text(a, path_text((struct path_arg *)list->items + i), false))
				break;
		} else if (!add_text(a, str_of(((const char **)list->items)[i]), true)) {
			break;
		}
	}
	a->cut |= a->json.len > JSON_MAX - 64;
	json_array_end(&a->w);
}

static void add_names(struct shown_args *a, const struct list *pairs)
{
	json_array_begin(&a->w);
	for (size_t i = 0; i < pairs->count; i++) {
		if (a->json.len > JSON_MAX - 64 || !add_text(a, str_of(((struct pair *)pairs->items)[i].name), false)) {
			a->cut = true;
			break;
		}
	}
	json_array_end(&a->w);
}

static void add_any(struct shown_args *a, const struct json *value)
{
	if (value->type == JSON_STRING)
		add_text(a, value->text, true);
	else if (value->type == JSON_NUMBER && value->is_integer)
		json_int(&a->w, value->integer);
	else
		json_null(&a->w);
}

static bool is_there(const struct field *field, const char *at)
{
	switch (field->type) {
	case FIELD_PATH:
		return ((const struct path_arg *)at)->given.p;
	case FIELD_STRING:
		return (field->flags & F_AUDIT) && *(const char *const *)at;
	case FIELD_ARRAY:
		return (field->item_type == FIELD_PATH || (field->flags & F_AUDIT)) && ((const struct list *)at)->items;
	case FIELD_MAP:
		return (field->flags & F_AUDIT) && ((const struct list *)at)->items;
	case FIELD_ANY:
		return (field->flags & F_AUDIT) && *(const struct json *const *)at;
	default:
		return false;
	}
}

static void add_field(struct shown_args *a, const struct field *field, const char *at)
{
	a->carry = (struct mask_carry){ 0 };
	json_key(&a->w, field->name);
	if (field->type == FIELD_PATH)
		add_text(a, path_text((const struct path_arg *)at), false);
	else if (field->type == FIELD_STRING)
		add_text(a, str_of(*(const char *const *)at), true);
	else if (field->type == FIELD_ARRAY)
		add_list(a, field, (const struct list *)at);
	else if (field->type == FIELD_MAP)
		add_names(a, (const struct list *)at);
	else
		add_any(a, *(const struct json *const *)at);
}

/* Kept as text: the arguments may be given back long before the call's end. */
void audit_keep(struct serving *s)
{
	struct shown_args a = { .s = s };
	const struct call *call = &s->call;

	if (!audit.on || s->audit_args || !call->op || !call->in)
		return;
	buf_init(&a.json, 2 * JSON_MAX);
	json_write_init(&a.w, &a.json);
	json_object_begin(&a.w);
	for (const struct field *field = call->op->params; field && field->type != FIELD_NONE; field++) {
		const char *at = (const char *)call->in + field->offset;

		if (!is_there(field, at))
			continue;
		if (a.json.len < JSON_MAX - 64)
			add_field(&a, field, at);
		else
			a.cut = true;
	}
	json_object_end(&a.w);
	buf_addc(&a.json, '\0');
	s->audit_cut = a.cut;
	s->audit_args = buf_failed(&a.json) ? NULL : mem_strdup(a.json.data);
	buf_free(&a.json);
}

static void add_time(struct json_writer *w, int64_t age_ns)
{
	char text[CLOCK_TEXT_SIZE];

	json_string(w, clock_text_ago(age_ns, text));
}

/* What a caller sent: masked before it is JSON, or a secret could be made to break the line. */
static void add_given(struct json_writer *w, const struct serving *s, const char *key, const char *text)
{
	AUTOBUF struct buf masked;

	buf_init(&masked, LINE_FILE_LINE_MAX);
	buf_adds(&masked, text);
	mask_known(s, &masked);
	json_key(w, key);
	json_text(w, buf_str(&masked));
}

static void begin_line(struct json_writer *w, struct buf *line, int64_t age_ns)
{
	buf_init(line, 2 * LINE_FILE_LINE_MAX);
	json_write_init(w, line);
	json_object_begin(w);
	json_key(w, "time");
	add_time(w, age_ns);
}

static void add_decision(struct json_writer *w, bool is_refused, const char *rule, int status, enum err_code code)
{
	json_key(w, "decision");
	json_string(w, is_refused ? "deny" : "allow");
	if (rule[0]) {
		json_key(w, "rule");
		json_string(w, rule);
	}
	json_key(w, "status");
	json_int(w, status);
	if (code) {
		json_key(w, "error");
		json_string(w, err_info(code)->wire_code);
	}
}

static void add_caller(struct json_writer *w, const struct serving *s)
{
	const struct call *call = &s->call;

	add_given(w, s, "request_id", call->request_id);
	json_key(w, "principal");
	json_string(w, call->caller ? principal_name(call->caller) : NULL);
	json_key(w, "op");
	json_string(w, call->op ? call->op->id : NULL);
	if (s->target)
		add_given(w, s, "target", s->target);
	if (s->audit_args) {
		json_key(w, "args");
		json_raw(w, str_of(s->audit_args));
	}
	if (s->audit_cut) {
		json_key(w, "cut");
		json_bool(w, true);
	}
}

static void add_figures(struct json_writer *w, int64_t age_ns, uint64_t received, uint64_t sent)
{
	json_key(w, "duration_ms");
	json_double(w, (double)(age_ns / 1000) / 1000);
	json_key(w, "bytes_in");
	json_int(w, (int64_t)received);
	json_key(w, "bytes_out");
	json_int(w, (int64_t)sent);
}

static void put(struct buf *line)
{
	line_file_put(audit.file, buf_failed(line) ? STR("{\"error\":\"server.internal\"") : buf_str(line));
	log_failure();
}

void audit_call(struct serving *s, uint64_t sent_bytes)
{
	struct call *call = &s->call;
	int64_t age_ns = clock_now_ns() - call->started_ns;
	AUTOBUF struct buf line;
	struct json_writer w;

	buf_init(&line, 0);
	if (!audit.on || !is_wanted(s))
		return;
	audit_keep(s);
	begin_line(&w, &line, age_ns);
	add_caller(&w, s);
	add_decision(&w, is_refused(s), call->err.rule, s->status, call->err.code);
	add_figures(&w, age_ns, s->received, sent_bytes);
	if (call->gone) {
		json_key(&w, "gone");
		json_bool(&w, true);
	}
	put(&line);
}

void audit_problem(enum err_code code, const char *request_id)
{
	AUTOBUF struct buf line;
	struct json_writer w;

	buf_init(&line, 0);
	if (!audit.on)
		return;
	begin_line(&w, &line, 0);
	json_key(&w, "request_id");
	json_string(&w, request_id);
	json_key(&w, "principal");
	json_null(&w);
	json_key(&w, "op");
	json_null(&w);
	add_decision(&w, true, "", err_info(code)->status, code);
	add_figures(&w, 0, 0, 0);
	put(&line);
}
