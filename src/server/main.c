/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and end of the server.
 */
#include "base/clock.h"
#include "browser/chromium.h"
#include "browser/visit.h"
#include "call/counters.h"
#include "custom/commands.h"
#include "ops/files/leftover.h"
#include "ops/terminal/terminal.h"
#include "policy/config.h"
#include "policy/policy.h"
#include "policy/token.h"
#include "program/confine.h"
#include "server/audit.h"
#include "server/describe.h"
#include "server/gen_client.h"
#include "server/host.h"
#include "server/options.h"
#include "server/policy_command.h"
#include "server/serve.h"
#include "server/serving.h"
#include "spawn/limits.h"
#include "spawn/tree.h"

#include "catalog/print.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, ADDRESS_SIZE = 160 };

/* Children get this long between SIGTERM and SIGKILL, and all of it this long before the server leaves all the same. */
#define CHILD_GRACE_NS (2 * NS_PER_S)
#define LAST_WAIT_NS (4 * NS_PER_S)

static const char DEFAULT_POLICY[] = "/etc/agent-sandbox/policy.yaml";

static struct {
	struct loop *loop;
	struct http_server *http;
	struct signal_watch term, interrupt, hangup;
	struct timer grace;
	struct commands_wait commands;
	struct options options;
	char *secret; /* the token of the options; each reload needs it again */
	char *commands_path;
	bool ending, idle, ends_children, childless;
	int status; /* of the process */
} server;

static int complain(const struct err *err)
{
	fprintf(stderr, "agent-sandbox-server: %s\n", err->text);
	return EXIT_USAGE;
}

static void leave_at_once(struct timer *t)
{
	(void)t;
	loop_stop(server.loop);
}

static void leave_when_done(void)
{
	if (server.idle && server.childless)
		loop_stop(server.loop);
}

static void all_children_ended(void)
{
	server.childless = true;
	leave_when_done();
}

/* What runs is ended when nobody waits for it any more, or has waited long enough (R86). */
static void end_children(void)
{
	if (server.ends_children)
		return;
	server.ends_children = true;
	workers_end();
	timer_start(&server.grace, server.loop, LAST_WAIT_NS, leave_at_once);
	visit_stop_all();
	tree_end_all(server.loop, CHILD_GRACE_NS, all_children_ended);
}

static void after_grace(struct timer *t)
{
	(void)t;
	serve_cancel_all();
	end_children();
}

static void all_closed(void *user)
{
	(void)user;
	server.idle = true;
	end_children();
	leave_when_done();
}

static void on_terminate(struct signal_watch *s, int number)
{
	(void)s;
	log_event(LOG_INFO, "shutdown", "signal=%d again=%d", number, server.ending);
	if (server.ending) {
		loop_stop(server.loop);
		return;
	}
	server.ending = true;
	timer_start(&server.grace, server.loop, server.options.shutdown_grace * NS_PER_S, after_grace);
	serve_drain();
	terminal_hang_up_all();
	http_server_drain(server.http, all_closed, NULL);
}

static void on_hangup(struct signal_watch *s, int number)
{
	struct err err;

	(void)s;
	(void)number;
	if (serve_reload(&err) < 0)
		log_event(LOG_ERROR, "reload", "failed=\"%s\"", err.text);
	else
		log_event(LOG_INFO, "reload", "done");
}

/* READY=1 to systemd, where it waits for it. */
static void notify_ready(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	AUTOCLOSE int fd = -1;
	size_t len = path ? strlen(path) : 0;

	if (len < 2 || len >= sizeof address.sun_path)
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		log_event(LOG_WARN, "notify", "errno=%d", errno);
}

static int check_address(const char *address, struct err *err)
{
	if (!http_is_address(address))
		return err_set(err, ERR_ARGS_INVALID,
			"'%s' is not an address: HOST:PORT with a numeric host, [V6]:PORT or unix:/path is needed",
			address);
	if (policy_has_tokens(serve_policy()) || server.options.insecure_no_auth || http_is_loopback(address))
		return 0;
	return err_set(err, ERR_ARGS_INVALID,
		"'%s' is not a loopback address and there is no token: give --token, or --insecure-no-auth to allow it",
		address);
}

/* Where the listener for terminals alone is: as told, or port 9001 beside 9000 (R106). False: nowhere. */
static bool pty_address(const char *main_address, char to[static ADDRESS_SIZE])
{
	const char *given = server.options.pty_listen, *colon = strrchr(main_address, ':');
	bool is_unix = strncmp(main_address, "unix:", 5) == 0;
	int host = colon ? (int)(colon - main_address) : 0;

	if (given && strcmp(given, "off") == 0)
		return false;
	if (given && strchr(given, ':'))
		snprintf(to, ADDRESS_SIZE, "%s", given);
	else if (given && is_unix)
		snprintf(to, ADDRESS_SIZE, "127.0.0.1:%s", given);
	else if (given || (colon && !is_unix && strcmp(colon, ":9000") == 0))
		snprintf(to, ADDRESS_SIZE, "%.*s:%s", host, main_address, given ? given : "9001");
	else
		return false;
	return true;
}

/* *ret_bound is empty when there is none; one that is in use already is no reason not to start. */
static int listen_pty(char ret_bound[static ADDRESS_SIZE], struct err *err)
{
	char address[ADDRESS_SIZE];
	int status;

	ret_bound[0] = '\0';
	if (!pty_address(server.options.listen[0], address))
		return 0;
	if (check_address(address, err) < 0)
		return -1;
	status = http_listen_tagged(server.http, address, SERVE_SOCKETS_ONLY, ret_bound, ADDRESS_SIZE);
	if (status == -EADDRINUSE) {
		log_event(LOG_WARN, "pty_listen", "address=%s in_use=1", address);
		return 0;
	}
	return status < 0
		       ? err_set(err, ERR_ARGS_INVALID, "cannot listen on '%s': %s", address, strerrordesc_np(-status))
		       : 0;
}

static int listen_all(struct err *err)
{
	struct options *o = &server.options;
	bool tokens = policy_has_tokens(serve_policy());
	char bound[ADDRESS_SIZE], pty[ADDRESS_SIZE];

	if (o->listen_count == 0)
		o->listen[o->listen_count++] = tokens ? "0.0.0.0:9000" : "127.0.0.1:9000";
	if (listen_pty(pty, err) < 0)
		return -1;
	for (size_t i = 0; i < o->listen_count; i++) {
		int status;

		if (check_address(o->listen[i], err) < 0)
			return -1;
		status = http_listen(server.http, o->listen[i], bound, sizeof bound);
		if (status < 0)
			return err_set(err, ERR_ARGS_INVALID, "cannot listen on '%s': %s", o->listen[i],
				strerrordesc_np(-status));
		printf("agent-sandbox-server %s ready on %s%s%s%s\n", server_version,
			strncmp(bound, "unix:", 5) == 0 ? "" : "http://", bound,
			i == 0 && pty[0] ? " and for terminals on " : "", i == 0 ? pty : "");
	}
	fflush(stdout);
	notify_ready();
	return 0;
}

/* What neither a flag nor a variable says, the policy file may. */
static void take_server_keys(const struct config *config)
{
	struct options *o = &server.options;
	const char *const *address = config->server.listen;

	for (bool is_given = o->listen_count > 0; !is_given && address && *address; address++) {
		if (o->listen_count < OPTIONS_LISTEN_MAX)
			o->listen[o->listen_count++] = *address;
	}
	if (o->shutdown_grace < 0)
		o->shutdown_grace = config->server.shutdown_grace;
	if (!o->commands)
		o->commands = config->server.commands;
	intake_trust_forwarded(o->trust_forwarded < 0 ? config->server.trust_forwarded : o->trust_forwarded > 0);
}

static int make_policy(struct err *err)
{
	struct options *o = &server.options;
	struct policy_settings settings = { .file = o->policy,
		.token = o->token,
		.token_file = o->token_file,
		.base_dir = o->base_dir,
		.disabled_groups = o->disabled_groups,
		.max_upload_size = o->max_upload_size };
	struct policy *policy;

	if (!settings.file && access(DEFAULT_POLICY, F_OK) == 0)
		settings.file = DEFAULT_POLICY;
	if (o->token && o->token_file)
		return err_set(err, ERR_ARGS_INVALID, "--token and --token-file cannot both be given");
	if (o->token_file) {
		server.secret = token_read_file(o->token_file, err);
		if (!server.secret)
			return -1;
	} else if (o->token) {
		server.secret = mem_strdup(o->token); /* what stands in argv is blanked */
	}
	settings.token = server.secret;
	policy = policy_new(&settings, err);
	if (!policy)
		return -1;
	if (confine_check(policy, err) < 0 || audit_use(policy, err) < 0) {
		policy_unref(policy);
		return -1;
	}
	serve_init(server.loop, policy, &settings);
	take_server_keys(policy_config(policy));
	/* The policy may go with a reload, the path may not. */
	commands_init(server.loop, o->commands ? server.commands_path = mem_strdup(o->commands) : NULL);
	return 0;
}

static void protect_process(char **args)
{
	sigset_t none;

	/* Whoever started us may have blocked what we want to hear; children get their own settings (spawn/child.c). */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	options_scrub(args);
	/* Children must not read our memory, environment or descriptors through /proc or ptrace (R93). */
	prctl(PR_SET_DUMPABLE, 0);
	limits_raise_nofile();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write over the size limit is EFBIG */
}

static uint64_t connections(void *user)
{
	return http_server_connections(user);
}

/* Their commands are there from the first call on; a worker that says nothing does not hold the start up for long. */
static void on_commands_ready(struct commands_wait *w)
{
	struct err err;

	(void)w;
	if (server.ending || listen_all(&err) == 0)
		return;
	server.status = complain(&err);
	loop_stop(server.loop);
}

static int start_commands(struct err *err)
{
	struct manifests manifests;

	if (commands_read(&manifests, err) < 0)
		return -1;
	commands_take(&manifests, serve_policy());
	commands_wait(&server.commands, on_commands_ready);
	return 0;
}

static int start(char **args, struct err *err)
{
	server.loop = loop_new();
	if (make_policy(err) < 0)
		return -1;
	protect_process(args);
	call_host = &server_host;
	if (tree_init(server.loop, !server.options.no_cgroups) < 0)
		return err_set(err, ERR_INTERNAL, "cannot become the reaper of orphans");
	/* Once more, now that it shows what cgroups there are. */
	if (confine_check(serve_policy(), err) < 0) {
		tree_shutdown();
		return -1;
	}
	server.http = http_server_new(server.loop, &serve_handlers, &http_default_limits);
	serve_attach(server.http);
	leftover_start(server.loop);
	counters_ask(GAUGE_CONNECTIONS, connections, server.http);
	if (signal_start(&server.term, server.loop, SIGTERM, on_terminate) < 0 ||
		signal_start(&server.interrupt, server.loop, SIGINT, on_terminate) < 0 ||
		signal_start(&server.hangup, server.loop, SIGHUP, on_hangup) < 0)
		return err_set(err, ERR_INTERNAL, "cannot watch signals");
	return start_commands(err);
}

static int serve_main(char **args)
{
	struct err err;
	size_t level = 0;

	if (options_parse(&server.options, args, &err) < 0)
		return complain(&err);
	if (server.options.help) {
		options_print_help();
		return 0;
	}
	if (server.options.version) {
		printf("agent-sandbox-server %s\n", server_version);
		return 0;
	}
	if (server.options.log_level) {
		while (log_levels[level] && strcmp(log_levels[level], server.options.log_level) != 0)
			level++;
		if (!log_levels[level]) {
			err_set(&err, ERR_ARGS_INVALID, "--log-level must be debug, info, warn or error");
			return complain(&err);
		}
		log_set_level((enum log_level)level);
	}
	if (start(args, &err) < 0)
		return complain(&err);
	if (!server.status)
		loop_run(server.loop);
	http_server_free(server.http);
	terminal_free_all();
	leftover_stop();
	commands_free();
	visit_free_all();
	tree_shutdown();
	chromium_remove_all();
	audit_end();
	return server.status;
}

int main(int argc, char **argv)
{
	(void)argc;
	if (argv[1] && strcmp(argv[1], "describe") == 0)
		return describe_main(argv + 2);
	if (argv[1] && strcmp(argv[1], "gen-client") == 0)
		return gen_client_main(argv + 2);
	if (argv[1] && strcmp(argv[1], "policy") == 0)
		return policy_command(argv + 2);
	return serve_main(argv + 1);
}
