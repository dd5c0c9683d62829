/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a call's answers reach its caller: the side of call.h that a transport implements.
 */
#pragma once

#include "call/call.h"

/* The side of socket.h. */
struct socket_port {
	void (*upgrade)(struct call *call);
	size_t (*room)(struct call *call);
	void (*send)(struct call *call, enum socket_kind kind, struct str bytes);
	void (*wake)(struct call *call);
	void (*pause)(struct call *call, bool paused);
	void (*close)(struct call *call, enum socket_close code, const char *reason);
};

struct call_port {
	const struct socket_port *socket;
	void (*reply)(struct call *call, const void *out);
	void (*fail)(struct call *call, const void *details); /* details: a result struct or NULL */
	void (*stream)(struct call *call, struct source *source);
	void (*send)(struct call *call, const struct raw_reply *head, struct source *source);
	void (*wake)(struct call *call);
	void (*body)(struct call *call, char *to, size_t len, call_body_fn *fn);
};
