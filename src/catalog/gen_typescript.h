/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated part of the TypeScript client, two files of it: catalog.ts has the types of parameters, results and
 * events, and the catalog and the table of errors as constants; client.ts a class for each node of the tree.
 */
#pragma once

#include "base/buf.h"

void gen_typescript_catalog(struct buf *out);
void gen_typescript_client(struct buf *out);
