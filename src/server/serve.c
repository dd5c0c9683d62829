/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of one call, in the order of its steps (R91): host and origin, route, credentials,
 * rate, enabled, scope; only then the body is read and bound; paths, and the op itself.
 * Each step returns 0, or -1 with call.err; answer_error() is the one way out of a failure.
 */
#include "server/serve.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "call/counters.h"
#include "program/confine.h"
#include "server/audit.h"
#include "server/paths.h"
#include "server/serving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

enum {
	ARENA_MAX = 256 * 1024 * 1024, /* the process's budget ends it far earlier */
	ID_PREFIX = 12,                /* hex digits of a request id: of this server, and of the request */
	ID_COUNT = 8,
	EXPIRY_ASK_S = 60, /* how late it may be noticed that the wall clock was set forward */
};

static struct {
	struct loop *loop;
	struct http_server *http; /* NULL before serve_attach() */
	struct policy *policy;
	struct policy_settings settings;
	struct list_node all; /* every struct serving */
	struct timer expiry;  /* of the next token */
	bool draining;
} server;

static void write_hex(char *to, size_t digits, uint64_t value)
{
	for (size_t i = digits; i > 0; i--, value >>= 4)
		to[i - 1] = "0123456789abcdef"[value & 15];
}

static void make_id(char to[static SERVE_ID_SIZE])
{
	static uint64_t prefix, count;

	if (!prefix && getrandom(&prefix, sizeof prefix, 0) < 0)
		prefix = (uint64_t)clock_now_ns();
	write_hex(to, ID_PREFIX, prefix);
	write_hex(to + ID_PREFIX, ID_COUNT, ++count);
	to[ID_PREFIX + ID_COUNT] = '\0';
}

void serve_id(struct str given, char to[static SERVE_ID_SIZE])
{
	bool printable = given.len > 0 && given.len < SERVE_ID_SIZE;

	for (size_t i = 0; printable && i < given.len; i++)
		printable = given.p[i] > ' ' && given.p[i] < 0x7f;
	if (!printable) {
		make_id(to);
		return;
	}
	memcpy(to, given.p, given.len);
	to[given.len] = '\0';
}

int serve_no_memory(struct serving *s)
{
	return err_set(&s->call.err, ERR_BUSY, "the request needs more memory than is left");
}

int serve_caller_left(struct serving *s)
{
	return err_set(&s->call.err, ERR_HTTP_BAD_REQUEST, "the caller left before the call began");
}

static int step_origin(struct serving *s, const struct head *head)
{
	struct str origin, host = head->host;
	bool cors = false;
	int status;

	if (head_join(&s->call.arena, head, "origin", &origin) < 0)
		return serve_no_memory(s);
	/* No name leads to a UNIX socket, so none is asked for there. */
	if (!policy_has_tokens(s->policy) && http_is_unix(s->conn))
		host = (struct str){ NULL, 0 };
	status = policy_check_origin(s->policy, host, origin, &cors, &s->call.err);
	if (cors)
		s->cors_origin = arena_strndup(&s->call.arena, origin.p, origin.len);
	if (status == 0 && head->expects_unknown)
		return err_set(&s->call.err, ERR_HTTP_EXPECTATION, "the Expect header asks for something unknown");
	return status;
}

static int step_route(struct serving *s, const struct head *head)
{
	struct str authority;
	int status = url_parse(&s->call.arena, head->target, &s->asked->url, &authority);

	if (status < 0)
		return err_set(&s->call.err, status == -EINVAL ? ERR_HTTP_BAD_REQUEST : ERR_BUSY,
			"the request target is malformed");
	if (authority.len && !str_eq(authority, head->host))
		return err_set(
			&s->call.err, ERR_HTTP_BAD_REQUEST, "the target names another host than the Host header");
	/* The query outlives the head. */
	s->asked->url.query.p = arena_strndup(&s->call.arena, s->asked->url.query.p, s->asked->url.query.len);
	if (!s->asked->url.query.p)
		return serve_no_memory(s);
	if (!s->asked->url.too_deep)
		route_find(head->method, s->asked->url.segments, s->asked->url.count, &s->asked->route);
	/* The template author's commands are ops that stand in no table: they are looked up beside it. */
	if (!s->asked->url.too_deep && s->asked->route.kind == ROUTE_NONE)
		commands_route(
			s->commands, head->method, s->asked->url.segments, s->asked->url.count, &s->asked->route);
	if (http_tag(s->conn) == SERVE_SOCKETS_ONLY && s->asked->route.op && s->asked->route.op->kind != OP_WS)
		s->asked->route = (struct route){ .kind = ROUTE_NONE };
	s->call.op = s->asked->route.op;
	return 0;
}

static int step_credentials(struct serving *s, const struct head *head)
{
	struct str line = head_get(head, "authorization"), bearer = { NULL, 0 };

	if (s->call.op && !s->call.op->scope)
		return 0; /* open to everybody */
	if (head_count(head, "authorization") > 1 || head_count(head, "x-access-token") > 1)
		return err_set(&s->call.err, ERR_AUTH_INVALID, "credentials were sent more than once");
	if (line.p) {
		struct str scheme = str_cut(&line, ' ');

		if (!str_is_nocase(scheme, "bearer"))
			return err_set(&s->call.err, ERR_AUTH_INVALID,
				"the Authorization header must be of the Bearer scheme");
		bearer = line;
	}
	if (s->call.op && s->call.op->kind == OP_WS)
		return upgrade_credentials(s, head, bearer);
	s->call.caller = policy_authenticate(s->policy, bearer, head_get(head, "x-access-token"), &s->call.err);
	return s->call.caller ? 0 : -1;
}

static int step_known(struct serving *s, const struct head *head)
{
	if (s->asked->route.kind == ROUTE_METHOD)
		return err_set(&s->call.err, ERR_OP_METHOD, "the method is not one of %s", s->asked->route.allow);
	if (s->asked->route.kind == ROUTE_NONE) {
		struct str path = head->target;

		path = str_cut(&path, '?'); /* a query may hold what nobody should see again */
		return err_set(&s->call.err, ERR_OP_UNKNOWN, "no op answers at %.*s", (int)MIN(path.len, 200), path.p);
	}
	return 0;
}

static int step_allowed(struct serving *s)
{
	const struct call *call = &s->call;

	if (call->caller && policy_check_rate(call->caller, &s->call.err) < 0)
		return -1;
	if (!call->op || !call->op->scope)
		return 0;
	if (policy_check_op(call->caller, call->op, &s->call.err) < 0)
		return -1;
	if (call->op != &custom_any)
		return 0;
	return commands_refuse(call, s->asked->url.segments[1], &s->call.arena, &s->call.err);
}

/*
 * OPTIONS from a listed origin comes without credentials (R73).  It is answered where nothing is, too: so a page can read
 * the error of its request, of which a browser tells nothing when the preflight fails.
 */
static bool is_preflight(struct serving *s, const struct head *head)
{
	static const char any[] = SERVE_ANY_METHOD;
	struct route *route = &s->asked->route;

	if (!s->cors_origin || !str_is(head->method, "OPTIONS"))
		return false;
	_Static_assert(sizeof any <= sizeof route->allow, "room for every method");
	if (route->kind == ROUTE_NONE)
		memcpy(route->allow, any, sizeof any);
	route->kind = ROUTE_OPTIONS;
	return true;
}

static int steps_of_head(struct serving *s, const struct head *head)
{
	if (step_origin(s, head) < 0 || step_route(s, head) < 0)
		return -1;
	if (is_preflight(s, head))
		return 0;
	if (step_credentials(s, head) < 0 || step_known(s, head) < 0)
		return -1;
	if (server.draining)
		return err_set(&s->call.err, ERR_SHUTTING_DOWN, "the server is ending");
	if (step_allowed(s) < 0)
		return -1;
	return s->call.op && s->call.op->kind == OP_WS ? upgrade_check(s, head) : 0;
}

/*
 * What a call needs to begin may be long on its way: a caller who has lost the op, or the token, in the meantime begins
 * nothing.  A stream that began then would be missed by end_refused_streams().
 */
static int step_still_allowed(struct serving *s)
{
	struct call *call = &s->call;
	struct err *err = &call->err;

	if (!call->caller || !call->op->scope)
		return 0;
	if (s->policy == server.policy ? policy_check_expiry(call->caller, err) == 0
				       : policy_recheck(server.policy, call->caller, call->op, err) == 0)
		return 0;
	s->refused = true;
	return -1;
}

/* In a worker: the paths, and the whole op where it is one that may block. */
static void work(struct job *job)
{
	struct call *call = OWNER(job, struct call, job);

	call->work_status = paths_resolve(&call->arena, call->caller, call->op->params, call->in, &call->err);
	if (call->work_status == 0 && call->op->work)
		call->work_status = call->op->work(call);
	if (call->work_status == 0 && call->op->work)
		answer_write(OWNER(call, struct serving, call));
}

static void after_work(struct job *job)
{
	struct call *call = OWNER(job, struct call, job);

	/* One who closed only its sending side can still read this. */
	if (call->work_status == 0 && call->gone && !call->op->work)
		call->work_status = serve_caller_left(OWNER(call, struct serving, call));
	if (call->work_status == 0 && !call->op->work)
		call->work_status = step_still_allowed(OWNER(call, struct serving, call));
	if (call->work_status < 0)
		call_fail(call);
	else if (call->op->work)
		call_reply(call, call->out);
	else
		call->op->start(call);
}

static void close_nothing(struct source *source)
{
	(void)source;
}

static void run(struct serving *s)
{
	static const enum lane lanes[] = { [OP_LANE_SHORT] = LANE_SHORT, [OP_LANE_LONG] = LANE_LONG };
	struct call *call = &s->call;

	if (step_still_allowed(s) < 0) {
		call_fail(call);
		return;
	}
	if (call->op->kind == OP_SSE && s->asked->route.head) {
		static struct source nothing = { .close = close_nothing };

		call_stream(call, &nothing);
		return;
	}
	if (call->op->effects & OP_RUNS || call->op->kind == OP_SSE || call->op->waits)
		http_gone_on_eof(s->conn);
	if (call->op->replay && call->op->replay(call))
		return;
	if (!call->op->work && !paths_given(call->op->params, call->in)) {
		call->op->start(call);
		return;
	}
	if (call->op->result_size && call->op->work) {
		call->out = call_alloc(call, call->op->result_size);
		if (!call->out) {
			call_fail(call);
			return;
		}
	}
	if (call_job(call, &call->job, lanes[call->op->lane], work, after_work) < 0)
		call_fail(call);
}

static void on_request(struct http_conn *c, const struct head *head)
{
	struct serving *s = mem_new(struct serving);

	s->asked = mem_new(struct asked);
	arena_init(&s->call.arena, ARENA_MAX);
	s->conn = c;
	s->head = str_is(head->method, "HEAD");
	s->policy = policy_ref(server.policy);
	s->commands = commands_ref();
	s->call.ops = commands_ops(s->commands);
	s->call.loop = server.loop;
	s->call.port = &answer_port;
	s->call.started_ns = clock_now_ns();
	list_append(&server.all, &s->node);
	http_set_user(c, s);
	serve_id(head_get(head, "x-request-id"), s->call.request_id);
	s->refused = steps_of_head(s, head) < 0;
	audit_begin(s, head);
	if (s->refused)
		answer_error(s);
	else if (s->asked->route.kind == ROUTE_OPTIONS)
		answer_options(s, head);
	else
		intake(s, head, run);
}

static void gone(struct serving *s)
{
	if (s->answered || s->call.gone)
		return;
	s->call.gone = true;
	job_cancel(&s->call.job);
	if (s->call.on_gone) {
		s->call.on_gone(&s->call);
	} else if (s->reading) {
		s->reading = false;
		err_set(&s->call.err, ERR_HTTP_BAD_REQUEST, "the caller left in the middle of the body");
		answer_error(s);
	}
}

static void on_gone(struct http_conn *c)
{
	struct serving *s = http_user(c);

	if (s)
		gone(s);
}

static void log_call(const struct serving *s, uint64_t sent_bytes)
{
	const struct call *call = &s->call;
	char text[ERR_TEXT_MAX * 2];
	AUTOBUF struct buf line;

	buf_init(&line, sizeof text + 1024);
	if (!log_wants(LOG_INFO))
		return;
	buf_addf(&line, "id=%s op=%s caller=%s status=%d error=%s ms=%.3f bytes=%llu gone=%d reason=%s",
		call->request_id, call->op ? call->op->id : "-", call->caller ? principal_name(call->caller) : "-",
		s->status, call->err.code ? err_info(call->err.code)->wire_code : "-",
		(double)(clock_now_ns() - call->started_ns) / (double)NS_PER_MS, (unsigned long long)sent_bytes,
		call->gone, call->err.code ? log_value(text, sizeof text, str_of(call->err.text)) : "-");
	policy_mask(s->policy, &line);
	log_event(LOG_INFO, "call", "%s", buf_failed(&line) ? "-" : line.data);
}

static void on_done(struct http_conn *c, uint64_t sent_bytes)
{
	struct serving *s = http_user(c);

	if (!s)
		return;
	log_call(s, sent_bytes);
	audit_call(s, sent_bytes);
	counters_call(s->call.op, s->status);
	if (s->call.on_free)
		s->call.on_free(&s->call);
	if (s->call.in)
		paths_close(s->call.op->params, s->call.in);
	intake_free(s);
	if (s->asked)
		rope_free(&s->asked->rope);
	free(s->asked);
	arena_free(&s->call.arena);
	free(s->audit_args);
	policy_unref(s->policy);
	commands_unref(s->commands); /* the op may be in it */
	list_remove(&s->node);
	free(s);
}

const struct http_handlers serve_handlers = {
	.on_request = on_request,
	.on_bad = answer_problem,
	.on_gone = on_gone,
	.on_done = on_done,
};

/* Streams go on over a reload and for long, unless their caller may not have them any more. */
static void end_refused_streams(void)
{
	LIST_EACH(node, &server.all)
	{
		struct call *call = &OWNER(node, struct serving, node)->call;

		if (call->on_shutdown && call->caller &&
			policy_recheck(server.policy, call->caller, call->op, &call->err) < 0)
			call->on_shutdown(call);
	}
}

static void watch_expiry(void);

static void on_expiry(struct timer *t)
{
	(void)t;
	end_refused_streams();
	watch_expiry();
}

static void watch_expiry(void)
{
	int64_t left = policy_next_expiry_s(server.policy);

	timer_stop(&server.expiry);
	if (left >= 0 && !server.draining) /* all are told to end then */
		timer_start(&server.expiry, server.loop, MIN(left, (int64_t)EXPIRY_ASK_S) * NS_PER_S, on_expiry);
}

/* What a policy sets for the whole process; new files get its umask whatever the server was started with (R55). */
static void take_policy(struct policy *policy)
{
	umask(policy_umask(policy));
	budget_set_limit((size_t)policy_server_limit(policy, "max_memory_bytes"));
	server.policy = policy;
	if (server.http)
		http_server_set_max(server.http, (unsigned)policy_server_limit(policy, "max_connections"));
	watch_expiry();
}

void serve_attach(struct http_server *http)
{
	server.http = http;
	take_policy(server.policy);
}

void serve_init(struct loop *loop, struct policy *policy, const struct policy_settings *settings)
{
	server.loop = loop;
	list_init(&server.all);
	take_policy(policy);
	server.settings = *settings;
}

int serve_reload(struct err *err)
{
	struct policy *policy = policy_new(&server.settings, err);
	struct manifests manifests;

	if (!policy)
		return -1;
	/* Whether addresses need a token was asked when they were opened. */
	if (policy_has_tokens(server.policy) && !policy_has_tokens(policy)) {
		policy_unref(policy);
		return err_set(err, ERR_ARGS_INVALID,
			"%s: the last token cannot be taken away while the server runs: start it again",
			server.settings.file);
	}
	if (confine_check(policy, err) < 0 || commands_read(&manifests, err) < 0) {
		policy_unref(policy);
		return -1;
	}
	if (audit_use(policy, err) < 0) {
		manifests_free(&manifests);
		policy_unref(policy);
		return -1;
	}
	policy_unref(server.policy);
	take_policy(policy);
	commands_take(&manifests, policy);
	end_refused_streams();
	return 0;
}

struct policy *serve_policy(void)
{
	return server.policy;
}

void serve_drain(void)
{
	server.draining = true;
	timer_free(&server.expiry);
	LIST_EACH(node, &server.all)
	{
		struct serving *s = OWNER(node, struct serving, node);

		if (s->call.on_shutdown) {
			err_set(&s->call.err, ERR_SHUTTING_DOWN, "the server is ending");
			s->call.on_shutdown(&s->call);
		} else if (s->reading || s->body_fn) {
			gone(s);
		}
	}
}

void serve_cancel_all(void)
{
	LIST_EACH(node, &server.all)
	gone(OWNER(node, struct serving, node));
}
