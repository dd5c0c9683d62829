/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes this process and its children live on a kernel without clone3, pidfds and
 * close_range, as under an old seccomp profile: the calls say ENOSYS.  For good.
 */
#pragma once

#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define REFUSE(number) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)

static inline void become_old(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_clone3),
		REFUSE(SYS_close_range),
		REFUSE(SYS_pidfd_open),
		REFUSE(SYS_pidfd_send_signal),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	int result = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	assert(result == 0);
	result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	assert(result == 0);
}
