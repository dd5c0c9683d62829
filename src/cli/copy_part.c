/* SPDX-License-Identifier: Apache-2.0 */
/* A download that goes on where it broke off, as long as the server says that the file is the same. */
#include "cli/copy.h"

#include "cli/local_file.h"
#include "cli/term.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct part {
	struct local_file file;
	char tag[LOCAL_TAG_SIZE]; /* the ETag without its quotes; empty: nothing to go on with */
	uint64_t done;            /* bytes that are there */
};

/* The last byte is asked for once more, so that there is always something to send. */
static int ask(struct cli *cli, struct str from, const struct part *part)
{
	char fields[160] = "";

	if (part->done)
		snprintf(fields, sizeof fields, "Range: bytes=%llu-\r\nIf-Range: \"%s\"\r\n",
			(unsigned long long)part->done - 1, part->tag);
	return copy_open_remote(cli, from, str_of(fields));
}

static int go_on(struct cli *cli, struct part *part)
{
	struct str range = response_get(&cli->api.http.response, "Content-Range");
	char wanted[48];

	snprintf(wanted, sizeof wanted, "bytes %llu-", (unsigned long long)part->done - 1);
	if (!part->done || range.len < strlen(wanted) || memcmp(range.p, wanted, strlen(wanted)) != 0)
		return problem_set(&cli->problem, EXIT_OTHER, "the server sends another part than it was asked for");
	part->done--;
	if (lseek(part->file.fd, (off_t)part->done, SEEK_SET) < 0)
		return problem_errno(&cli->problem, errno, "cannot seek");
	return 0;
}

static int begin(struct cli *cli, struct part *part)
{
	struct str etag = response_get(&cli->api.http.response, "ETag");

	part->done = 0;
	part->tag[0] = '\0';
	if (etag.len > 2 && etag.len - 2 < sizeof part->tag && etag.p[0] == '"')
		snprintf(part->tag, sizeof part->tag, "%.*s", (int)(etag.len - 2), etag.p + 1);
	return local_file_begin_part(&part->file, part->tag, &cli->problem);
}

/* 0 at the end; 1: the connection broke; -1. */
static int receive(struct cli *cli, struct part *part)
{
	struct http_client *http = &cli->api.http;
	struct progress progress;
	struct str bytes;
	int more, failed = 0;

	term_progress_start(&progress, part->file.target,
		http->response.has_length ? part->done + http->response.length : 0, cli->quiet);
	term_progress_add(&progress, part->done);
	while (failed == 0 && (more = http_client_read(http, &bytes, &cli->problem)) != 0) {
		if (more < 0)
			failed = cli->problem.exit_code == EXIT_INTERRUPTED ? -1 : 1;
		else
			failed = local_file_write(&part->file, bytes, &cli->problem);
		if (failed)
			break;
		part->done += bytes.len;
		term_progress_add(&progress, bytes.len);
	}
	term_progress_end(&progress);
	return failed;
}

static int attempt(struct cli *cli, struct str from, struct part *part)
{
	int status;

	if (ask(cli, from, part) < 0)
		return -1;
	status = cli->api.http.response.status == 206 ? go_on(cli, part) : begin(cli, part);
	if (status == 0)
		status = receive(cli, part);
	/* What was not read would be taken for the next answer. */
	if (status)
		transport_close(&cli->api.http.transport);
	return status;
}

/* Once more as long as each attempt gets further. */
static int download(struct cli *cli, struct str from, struct part *part)
{
	uint64_t before;
	int status;

	do {
		before = part->done;
		problem_clear(&cli->problem);
		status = attempt(cli, from, part);
	} while (status > 0 && part->file.stays && part->done > before);
	return status;
}

static void part_done(struct part *part)
{
	local_file_abandon(&part->file);
}

int copy_down_part(struct copy *copy, struct str from, unsigned mode, const char *to)
{
	CLEANUP(part_done) struct part part = { .file.fd = -1 };
	struct problem *p = &copy->cli->problem;
	struct stat st;

	if (local_file_open_part(&part.file, to, mode, part.tag, p) < 0)
		return -1;
	if (part.tag[0] && fstat(part.file.fd, &st) == 0)
		part.done = (uint64_t)st.st_size;
	if (download(copy->cli, from, &part) != 0)
		return -1;
	return local_file_commit(&part.file, p);
}
