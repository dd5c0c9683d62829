/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/save.h"

#include "cli/local_file.h"
#include "cli/term.h"

#include <string.h>
#include <unistd.h>

static int receive(struct cli *cli, struct local_file *file, const char *name)
{
	struct http_client *http = &cli->api.http;
	struct progress progress;
	struct str bytes;
	int more, failed = 0;

	term_progress_start(
		&progress, name, http->response.has_length ? http->response.length : 0, cli->quiet || !file);
	while (failed == 0 && (more = http_client_read(http, &bytes, &cli->problem)) != 0) {
		if (more < 0)
			failed = -1;
		else if (file)
			failed = local_file_write(file, bytes, &cli->problem);
		else
			failed = cli_write(cli, STDOUT_FILENO, bytes);
		if (failed == 0)
			term_progress_add(&progress, bytes.len);
	}
	term_progress_end(&progress);
	/* What was not read would be taken for the next answer. */
	if (failed)
		transport_close(&http->transport);
	return failed;
}

int save_body(struct cli *cli, const char *to, unsigned mode)
{
	AUTOLOCAL struct local_file file = { .fd = -1 };

	if (strcmp(to, "-") == 0)
		return receive(cli, NULL, to);
	if (local_file_open(&file, to, mode, &cli->problem) < 0) {
		transport_close(&cli->api.http.transport);
		return -1;
	}
	if (receive(cli, &file, to) < 0)
		return -1;
	return local_file_commit(&file, &cli->problem);
}
