/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/find.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SHM_ENOUGH (UINT64_C(1) << 30)

static const char *const names[] = { "chromium", "google-chrome", "headless_shell", "chromium-browser",
	"google-chrome-stable", "chrome", "chromium-headless-shell", "chrome-headless-shell" };

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool look_up(const char *name, const char *path_list, char ret_path[static FIND_PATH_SIZE])
{
	struct str rest = str_of(path_list);

	while (rest.len) {
		struct str folder = str_cut(&rest, ':');
		int len = snprintf(
			ret_path, FIND_PATH_SIZE, "%.*s/%s", (int)MIN(folder.len, FIND_PATH_SIZE), folder.p, name);

		if (folder.len && *folder.p == '/' && len < FIND_PATH_SIZE && is_program(ret_path))
			return true;
	}
	return false;
}

int find_browser(const char *given, const char *path_list, char ret_path[static FIND_PATH_SIZE], struct err *err)
{
	if (strchr(given, '/')) {
		snprintf(ret_path, FIND_PATH_SIZE, "%s", given);
		if (is_program(given))
			return 0;
		return err_set(err, ERR_RUNTIME_UNAVAILABLE, "the policy's browser.path '%s' is no program", given);
	}
	if (*given) {
		if (look_up(given, path_list, ret_path))
			return 0;
		return err_set(err, ERR_RUNTIME_UNAVAILABLE, "the policy's browser.path '%s' is not in PATH", given);
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (look_up(names[i], path_list, ret_path))
			return 0;
	}
	return err_set(err, ERR_RUNTIME_UNAVAILABLE,
		"there is no browser here: neither chromium nor google-chrome nor headless_shell is in PATH; install one, or "
		"name it in the policy's browser.path");
}

bool find_shm_is_small(void)
{
	struct statvfs shm;

	return access("/dev/shm", W_OK) < 0 || statvfs("/dev/shm", &shm) < 0 ||
	       (uint64_t)shm.f_bavail * shm.f_frsize < SHM_ENOUGH;
}
