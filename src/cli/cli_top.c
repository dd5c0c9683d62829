/* SPDX-License-Identifier: Apache-2.0 */
/* abx top: how much of the sandbox is in use, again and again on a terminal, once elsewhere. */
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/show.h"
#include "cli/term.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { EVERY_MS = 1000, BAR_WIDTH = 30, LABEL_COLUMN = 8 };

static double number(const struct json *object, const char *key)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_NUMBER ? value->number : -1;
}

struct amount {
	double used, total;
	int digits;
	const char *unit;
};

static void print_bar(const char *label, double percent, const struct amount *amount)
{
	int full = (int)(MIN(MAX(percent, 0), 100) * BAR_WIDTH / 100 + 0.5);

	printf("%-*s", LABEL_COLUMN, label);
	if (percent < 0) {
		puts("-");
		return;
	}
	printf("[%.*s%*s] %5.1f %%", full, "##############################", BAR_WIDTH - full, "", percent);
	if (amount)
		printf("  %.*f of %.*f %s", amount->digits, amount->used, amount->digits, amount->total, amount->unit);
	putchar('\n');
}

static void print_picture(const struct json *metrics)
{
	const struct json *network = json_get(metrics, "network");
	char received[TERM_SIZE_TEXT], sent[TERM_SIZE_TEXT];

	print_bar("cpu", number(metrics, "cpu_percent"), NULL);
	print_bar("memory", number(metrics, "memory_percent"),
		&(struct amount){ number(metrics, "memory_used_mb"), number(metrics, "memory_total_mb"), 0, "MiB" });
	print_bar("disk", number(metrics, "disk_percent"),
		&(struct amount){ number(metrics, "disk_used_gb"), number(metrics, "disk_total_gb"), 1, "GiB" });
	printf("%-*s%.2f %.2f %.2f\n", LABEL_COLUMN, "load", number(metrics, "cpu_load_1m"),
		number(metrics, "cpu_load_5m"), number(metrics, "cpu_load_15m"));
	printf("%-*s%s received, %s sent\n", LABEL_COLUMN, "network",
		term_size((uint64_t)MAX(0, reply_int(network, "rx_bytes", 0)), received),
		term_size((uint64_t)MAX(0, reply_int(network, "tx_bytes", 0)), sent));
	printf("%-*s%lld processes, %lld terminal sessions\n", LABEL_COLUMN, "running",
		(long long)reply_int(metrics, "processes", 0), (long long)reply_int(metrics, "open_sessions", 0));
}

static int picture(struct cli *cli, bool live)
{
	AUTOREPLY struct reply reply;
	int shown = show_call(cli, "system.metrics", STR("{}"), true, &reply);

	if (shown == 0 && live)
		fputs("\033[H\033[J", stdout);
	if (shown == 0)
		print_picture(reply.value);
	fflush(stdout);
	return MIN(shown, 0);
}

/* Ctrl-C ends it. */
static int top(struct cli *cli, struct args *args)
{
	bool live = term_is_out() && !cli->json && !args_has(args, "once");
	struct pollfd interrupt = { .fd = interrupt_fd(), .events = POLLIN };

	if (picture(cli, live) < 0)
		return -1;
	while (live) {
		if (poll(&interrupt, 1, EVERY_MS) > 0 || interrupt_seen())
			return EXIT_OK;
		if (picture(cli, live) < 0)
			return interrupt_seen() ? EXIT_OK : -1;
	}
	return EXIT_OK;
}

static const struct flag flags[] = {
	{ '1', "once", NULL, "one picture, on a terminal too" },
	FLAGS_END,
};

const struct command cli_top = {
	.name = "top",
	.usage = "",
	.summary = "show how much of the sandbox is in use, live on a terminal",
	.flags = flags,
	.run = top,
};
