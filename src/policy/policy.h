/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is allowed: one set of decisions, made from the options and the policy file.
 *
 * A struct policy is immutable once built; a reload builds a new one (policy_ref/policy_unref:
 * the calls in flight and the server are the two owners).  A principal is the caller behind one
 * token; it belongs to its policy and can only be narrower.
 */
#pragma once

#include "base/as_user.h"
#include "base/buf.h"
#include "base/err.h"
#include "catalog/op.h"
#include "policy/child_env.h"

#include <sys/resource.h>

struct policy;
struct principal;
struct roots; /* place.h */
struct config;

/* What the command line and the environment say; NULL or 0 where they say nothing. */
struct policy_settings {
	const char *file;       /* policy file, or NULL */
	const char *token;      /* one full-access token, or NULL */
	const char *token_file; /* where it was read from, or NULL */
	const char *base_dir;
	const char *disabled_groups; /* comma list */
	int64_t max_upload_size;
};

/*
 * NULL with err: the file's line, column and reason; a root that is missing; an empty token; what
 * this build or this user cannot enforce.
 */
struct policy *policy_new(const struct policy_settings *settings, struct err *err);
struct policy *policy_ref(struct policy *p);
void policy_unref(struct policy *p);

bool policy_has_tokens(const struct policy *p); /* else every caller is "local" with every scope */

/*
 * Host and Origin (R73, R107).  The scheme is "http".  host.p NULL: none was sent (no browser does
 * that), or the request came over a UNIX socket, where names mean nothing.  origin.p NULL when
 * absent.  0, or -1 with ERR_POLICY_ORIGIN.  *ret_cors: the origin is a listed one, so the reply
 * carries CORS headers; it is set in either case.
 */
int policy_check_origin(
	const struct policy *p, struct str host, struct str origin, bool *ret_cors, struct err *err) MUST_CHECK;

/*
 * Who calls.  bearer: the part behind "Bearer ", from one Authorization line, byte for byte; p NULL
 * when absent.  NULL with err (AUTH_*).  Compared in constant time, by SHA-256.
 */
const struct principal *policy_authenticate(
	const struct policy *p, struct str bearer, struct str access_token, struct err *err);

/* Who is known by something else than the token, as by a ticket, is known no longer than it. */
int policy_check_expiry(const struct principal *who, struct err *err) MUST_CHECK;

/* Seconds of the wall clock until the next token expires; -1: none will. */
int64_t policy_next_expiry_s(const struct policy *p);

const struct principal *policy_principal(const struct policy *p, const char *name); /* NULL when there is none */

/* For streams that outlive a reload or their token: whether the caller is in the policy, by name and token, and may still call the op. */
int policy_recheck(
	const struct policy *p, const struct principal *old, const struct op *op, struct err *err) MUST_CHECK;

/* Rate, op switched on, scope: in this order (R91).  A token's own "ops" deny with its scope's code. */
int policy_check_rate(const struct principal *who, struct err *err) MUST_CHECK;
int64_t policy_retry_after(const struct principal *who); /* seconds until the rate allows another call, at least 1 */
int policy_check_op(const struct principal *who, const struct op *op, struct err *err) MUST_CHECK;

/* Whether the server has it; the rule that says so ("policy:groups.file_ops"), empty when it has. */
bool policy_op_enabled(const struct policy *p, const struct op *op, char ret_rule[static ERR_RULE_MAX]);

/* The effective limit of an op, and those without an op ("max_body_bytes", "max_connections", …). */
int64_t policy_limit(const struct principal *who, const struct op *op, const char *name);
/* The rule that says so: "limits.OP.NAME", or the token's where that is what narrows it. */
void policy_limit_rule(
	const struct principal *who, const struct op *op, const char *name, char ret_rule[static ERR_RULE_MAX]);
int64_t policy_server_limit(const struct policy *p, const char *name);

/* Whether a principal may send the signal, set the variable (R79, R96), name the user. */
int policy_check_signal(const struct principal *who, int number, struct err *err) MUST_CHECK;
int policy_check_env(const struct principal *who, struct str name, struct err *err) MUST_CHECK; /* of a call */
int policy_check_user(const struct principal *who, const char *user, struct err *err) MUST_CHECK;
int policy_check_env_set(
	const struct principal *who, struct str name, struct err *err) MUST_CHECK; /* of system.env.set */

/* How programs are started. */
enum { POLICY_RLIMITS_MAX = 6 };
struct policy_rlimit {
	int which; /* RLIMIT_… */
	struct rlimit value;
};
size_t policy_rlimits(const struct policy *p,
	struct policy_rlimit ret_limits[static POLICY_RLIMITS_MAX]); /* core 0, and what is set */
/* How children are held in (program/confine.h). */
enum policy_confine { CONFINE_OFF, CONFINE_PATHS, CONFINE_BEST_EFFORT };
struct policy_confinement {
	enum policy_confine mode;
	bool no_network;
	bool names_user;         /* process.user is given, be it root */
	const char *const *read; /* further paths, NULL at the end, or NULL */
};
/* Of a program and all that it starts; 0 none. */
struct policy_cgroup {
	int64_t memory_max, pids_max; /* bytes, processes */
	double cpu_max;               /* CPUs */
};
struct policy_cgroup policy_cgroup(const struct policy *p);
struct policy_confinement policy_confinement(const struct policy *p);
mode_t policy_umask(const struct policy *p); /* of new files too (R55) */
bool policy_fsync(const struct policy *p);

/* A user of /etc/passwd and /etc/group, as they were when the policy was made. */
struct run_as {
	const char *name, *home, *shell;
	uid_t uid;
	gid_t gid;
	const gid_t *groups; /* gid is the first */
	size_t group_count;
};

/* Whom to run as: a name that policy_check_user() let pass, or NULL for process.user.  NULL: as the server itself. */
const struct run_as *policy_user(const struct policy *p, const char *name);
const struct run_as *policy_self(const struct policy *p); /* the server's own; NULL when its uid has no entry */
/* Whose file work is (R94): process.user, when the server is root and that is another; else NULL. */
const struct as_user *policy_file_user(const struct policy *p);

/*
 * What a program is given before the caller's own variables: the inherited ones, HOME USER LOGNAME
 * SHELL PATH and LANG in any case, "set" on top, then what system.env.set changed (overlay.h); TERM for
 * terminals alone; never ABX_*.  user as for policy_user().
 */
void policy_child_env(const struct policy *p, const char *user, bool is_terminal, struct child_env *env);

/* A language that the policy adds to code runs: its argv, NULL at the end, or NULL when it adds none of this name. */
const char *const *policy_language(const struct policy *p, const char *name);
/* The names of all of them, for messages. */
size_t policy_languages(const struct policy *p, const char **ret_names, size_t most);

/* What stands in "ops" and "limits" for every command of the template author; endpoint id run_command. */
#define POLICY_EVERY_COMMAND "custom.*"

/* The server itself, for programs that run for all callers: all that the policy gives to anybody. */
const struct principal *policy_server_principal(const struct policy *p);

/* Facts of a principal. */
const struct policy *principal_policy(const struct principal *who);
const char *principal_name(const struct principal *who);
/* What tells principals of one name apart: the token's hash; zeros for the one without a token. */
enum { PRINCIPAL_MARK_SIZE = 32 };
const uint8_t *principal_mark(const struct principal *who, uint8_t ret_mark[static PRINCIPAL_MARK_SIZE]);
const struct list *principal_scopes(const struct principal *who); /* of const char * */
const struct roots *principal_roots(const struct principal *who);

const struct roots *policy_roots(const struct policy *p); /* the server's */

/* Facts for capabilities. */
struct policy_facts {
	const char *base;
	struct list roots, readonly, deny; /* of const char * */
};
void policy_facts(const struct principal *who, struct policy_facts *ret_facts);
bool policy_group_enabled(const struct policy *p, const char *group);
extern const char *const policy_groups[]; /* every group's name, NULL at the end */

/* What the file says of the server itself: listen, shutdown_grace (policy/config.h). */
const struct config *policy_config(const struct policy *p);

/* A secret that the log must never show is replaced by "***" (R77). */
void policy_mask(const struct policy *p, struct buf *text);
