/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated half of the Python client: models of results and events, the catalog as the
 * runtime needs it, the tree of ops and a namespace class for each of its nodes.  The other half,
 * clients/python/src/agent_sandbox/_runtime.py and its neighbours, is written by hand.
 */
#pragma once

#include "base/buf.h"

void gen_python(struct buf *out);
