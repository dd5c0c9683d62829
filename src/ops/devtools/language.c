/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/language.h"

#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_PATH "/proc/self/fd/9"

/*
 * Node resolves a script's path, and this one leads nowhere.  The code is compiled as a module of
 * the working directory, so that require() and import() begin there.  What is no CommonJS is
 * imported as an ES module, by a name for which hooks give the code; as of a script, an await at
 * the top that never ends is exit code 13.
 */
static const char NODE_START[] =
	"'use strict';{"
	"const fs=require('fs'),path=require('path'),Module=require('module');"
	"const code=fs.readFileSync(9,'utf8');fs.closeSync(9);const file=path.resolve('[code]');process.argv[1]=file;"
	"let common=true;try{require('vm').compileFunction(code,['exports','require','module'])}"
	"catch{common=!Module.register}"
	"if(common){const main=new Module(file,null);main.id='.';main.filename=file;"
	"main.paths=Module._nodeModulePaths(process.cwd());process.mainModule=main;main._compile(code,file);main.loaded=true}"
	"else{const url=require('url').pathToFileURL(file).href,exit=process.exit;let open=true;"
	"const hooks='let own;export const initialize=(data)=>{own=data};"
	"export const resolve=(name,context,next)=>name===own.url?{url:name,shortCircuit:true}:next(name,context);"
	"export const load=(name,context,next)=>name!==own.url?next(name,context):"
	"{format:\"module\",source:own.code,shortCircuit:true}';"
	"Module.register('data:text/javascript,'+encodeURIComponent(hooks),{data:{url,code}});"
	"const done=()=>{open=false;process.exit=exit};process.exit=(...status)=>{done();return exit(...status)};"
	"process.on('exit',()=>{if(open)process.exitCode=process.exitCode??13});import(url).finally(done)}}";

/*
 * Python looks for modules beside a script, and this one need not lie in the working directory.
 * By the number of the process its path leads to the code for others too: multiprocessing has
 * processes that are not forks read it once more.  What is raised is shown without these lines.
 */
static const char PYTHON_START[] = "def start():\n"
				   " import os, sys\n"
				   " main = sys.modules['__main__'].__dict__\n"
				   " del main['start']\n"
				   " file = main['__file__'] = '/proc/%s/fd/9' % os.readlink('/proc/self')\n"
				   " sys.argv[:] = [file]\n"
				   " if sys.path[:1] == ['']:\n"
				   "  sys.path[0] = os.getcwd()\n"
				   " with open(file, 'rb') as code:\n"
				   "  text = code.read()\n"
				   " try:\n"
				   "  exec(compile(text, file, 'exec', 0, True), main)\n"
				   " except Exception:\n"
				   "  kind, error, trace = sys.exc_info()\n"
				   "  error.__traceback__ = trace.tb_next\n"
				   "  sys.excepthook(kind, error, trace.tb_next)\n"
				   "  sys.exit(1)\n"
				   "start()\n";

static const char *const python3[] = { "python3", "-c", PYTHON_START, NULL };
static const char *const python[] = { "python", "-c", PYTHON_START, NULL };
static const char *const node[] = { "node", "-e", NODE_START, NULL };
static const char *const nodejs[] = { "nodejs", "-e", NODE_START, NULL };
static const char *const bash[] = { "bash", FILE_PATH, NULL };

static const struct {
	const char *name;
	struct language_run run;
} built_in[] = {
	{ "python", { { python3, python, NULL } } },
	{ "node", { { node, nodejs, NULL } } },
	{ "bash", { { bash, NULL } } },
};

static int from_policy(struct call *call, const char *const *given, struct language_run *ret_run)
{
	const char **argv;
	size_t count = 0;

	while (given[count])
		count++;
	argv = call_alloc(call, (count + 1) * sizeof *argv);
	if (!argv)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *hole = strstr(given[i], "{file}");

		argv[i] = given[i];
		if (hole)
			argv[i] = arena_printf(&call->arena, "%.*s" FILE_PATH "%s", (int)(hole - given[i]), given[i],
				hole + strlen("{file}"));
		if (!argv[i])
			return err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	}
	*ret_run = (struct language_run){ { argv, NULL } };
	return 0;
}

static int unknown(struct call *call, const char *name)
{
	const char *added[16];
	size_t count = policy_languages(principal_policy(call->caller), added, ARRAY_LEN(added));
	char list[256] = "python, node, bash";
	size_t len = strlen(list);

	for (size_t i = 0; i < count && len < sizeof list - 1; i++) {
		int more = snprintf(list + len, sizeof list - len, ", %s", added[i]);

		len = MIN(sizeof list - 1, len + (size_t)MAX(more, 0));
	}
	return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'language' must be one of %s, not '%.40s'", list, name);
}

int language_find(struct call *call, const char *name, struct language_run *ret_run)
{
	const char *const *given = policy_language(principal_policy(call->caller), name);

	if (given)
		return from_policy(call, given, ret_run);
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++) {
		if (strcmp(built_in[i].name, name) == 0) {
			*ret_run = built_in[i].run;
			return 0;
		}
	}
	return unknown(call, name);
}

/* Readable for the user that it runs as, writable for nobody. */
static int fill_file(int fd, struct str code)
{
	while (code.len) {
		ssize_t written = write(fd, code.p, code.len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		code.p += written;
		code.len -= (size_t)written;
	}
	return fchmod(fd, 0444) < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

int language_file(struct call *call, int folder_fd, struct str code)
{
	AUTOCLOSE int beside = openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	AUTOCLOSE int in_memory = -1;

	if (beside >= 0 && fill_file(beside, code) == 0)
		return take_fd(&beside);
	in_memory = memfd_create("code", MFD_CLOEXEC);
	if (in_memory < 0 || fill_file(in_memory, code) < 0)
		return err_set(&call->err, ERR_BUSY, "no memory or descriptor for the code");
	return take_fd(&in_memory);
}
