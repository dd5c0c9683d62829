/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event of a stream as one line of JSON: {"event":NAME,"id":ID,"data":DATA}, the data as
 * the server wrote it, the id where there is one.
 */
#pragma once

#include "cli/cli.h"
#include "wire/sse.h"

int event_line_print(struct cli *cli, const struct sse_reader *reader) MUST_CHECK;
