/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.ports: who listens, and where.
 */
#include "call/call.h"
#include "ops/system/sockets.h"

enum { PORTS_MAX = 10000 };

struct port {
	int64_t port;
	int protocol;
	const char *address, *process;
	struct opt_int pid;
};

struct out {
	struct list listening;
	bool truncated;
};

static const struct field port_rows[] = {
	R_INT(struct port, port, "The port."),
	R_CHOICE(struct port, protocol, socket_protocols, "A dual-stack socket stands under IPv6."),
	R_STRING(struct port, address, "The address that it is bound to."),
	R_NULL_INT(struct port, pid, "Whose it is; null where that cannot be seen."),
	R_NULL_STRING(struct port, process, "The program's name."),
	FIELDS_END,
};

static const struct field result[] = {
	R_OBJECTS(struct out, listening, struct port, "ListeningPort", port_rows,
		"TCP listeners and bound UDP sockets, by port."),
	R_BOOL(struct out, truncated, "Whether there are more than are listed."),
	FIELDS_END,
};

static bool stopped(void *user)
{
	return call_stopped(user);
}

static int fill_in(struct call *call, const struct sockets *sockets, struct out *out)
{
	struct port *ports = call_alloc(call, (sockets->count + 1) * sizeof *ports);

	if (!ports)
		return -1;
	out->listening = (struct list){ ports, sockets->count };
	for (size_t i = 0; i < sockets->count; i++) {
		const struct socket_info *one = &sockets->items[i];

		ports[i] = (struct port){
			.port = one->port,
			.protocol = (int)one->protocol,
			.address = arena_strdup(&call->arena, one->address),
			.pid = { one->pid != 0, one->pid },
			.process = one->process[0] ? arena_strdup(&call->arena, one->process) : NULL,
		};
		if (!ports[i].address)
			return err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
	}
	return 0;
}

static int work(struct call *call)
{
	struct out *out = call_out(call, struct out);
	struct sockets sockets;
	int status;

	sockets_read(&sockets, "", PORTS_MAX, &out->truncated);
	sockets_find_owners(&sockets, "", stopped, call);
	status = fill_in(call, &sockets, out);
	sockets_free(&sockets);
	return status;
}

const struct op op_system_ports = {
	.id = "system.ports",
	.endpoint = "ports",
	.group = "system",
	.scope = "system:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/ports",
	.since = "0.1.0",
	.summary = "List the ports that somebody listens on.",
	.description = "IPv4 and IPv6, of the server's network namespace.",
	.example = { .args = JSON_TEXT({}), .abx = "ports" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.lane = OP_LANE_LONG,
	.work = work,
};
