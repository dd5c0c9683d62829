/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/example_internal.h"

#include "base/budget.h"

#include <assert.h>

const char example_demo[] = "abx --quiet sh 'mkdir -p demo/src demo/repo && cd demo\n"
			    "printf \"one\\ntwo\\nthree\\n\" >notes.txt\n"
			    "echo \"debug = no\" >settings.ini && echo \"print(1)\" >src/hello.py\n"
			    "echo draft >draft.txt && echo old >old.txt && echo \"echo hi\" >run.sh\n"
			    "cd repo && git init -q && echo first >a.txt && git add a.txt\n"
			    "git -c user.name=demo -c user.email=demo@example.org commit -qm first\n"
			    "echo second >>a.txt'\n"
			    "echo hello >hello.txt && tar -cf hello.tar hello.txt\n";

const char *const example_setup[] = {
	[EXAMPLE_CURL] = "auth=\"Authorization: Bearer $ABX_SERVER_TOKEN\"\n",
	[EXAMPLE_ABX] = "",
	[EXAMPLE_PYTHON] = "import os\n"
			   "from pathlib import Path\n"
			   "from agent_sandbox import ServerClient\n"
			   "srv = ServerClient(os.environ[\"ABX_URL\"])\n",
	[EXAMPLE_TYPESCRIPT] = "import { readFile, writeFile } from \"node:fs/promises\";\n"
			       "import { ServerClient } from \"agent-sandbox\";\n"
			       "const { ABX_URL = \"\", ABX_SERVER_TOKEN } = process.env;\n"
			       "const client = new ServerClient(ABX_URL, { token: ABX_SERVER_TOKEN });\n",
};

const char *const example_fences[] = {
	[EXAMPLE_CURL] = "sh",
	[EXAMPLE_ABX] = "sh",
	[EXAMPLE_PYTHON] = "python",
	[EXAMPLE_TYPESCRIPT] = "ts",
};

const struct json *example_args_of(struct arena *arena, const char *args)
{
	struct json_error where;
	struct json *value = NULL;
	int status = -1;
	char *text;

	budget_insist(true);
	text = arena_strdup(arena, args);
	if (text)
		status = json_parse(arena, text, strlen(text), &value, &where);
	budget_insist(false);
	assert(status == 0 && value->type == JSON_OBJECT);
	return value;
}

const struct json *example_args(struct arena *arena, const struct op *op)
{
	return example_args_of(arena, op->example.args ? op->example.args : "{}");
}

bool example_first(const struct op *op, struct op *ret_first)
{
	const struct op *first = op->example.after ? op_find(str_of(op->example.after)) : NULL;

	if (!first)
		return false;
	*ret_first = *first;
	if (op->example.after_args)
		ret_first->example.args = op->example.after_args;
	return true;
}

void example_write(struct buf *out, const struct op *op, enum example_form form)
{
	static void (*const write[])(struct buf * out, const struct op *op) = {
		[EXAMPLE_CURL] = example_curl,
		[EXAMPLE_ABX] = example_abx,
		[EXAMPLE_PYTHON] = example_python,
		[EXAMPLE_TYPESCRIPT] = example_typescript,
	};

	write[form](out, op);
}
