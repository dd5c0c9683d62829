/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/clone.h"

#include "spawn/bounds.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_SIZE = 128 * 1024, GUARD_SIZE = 64 * 1024 };

#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND UINT64_C(0x100000000)
#endif

/* The kernel's set, without glibc's idea of signals that nobody may block. */
typedef uint64_t kernel_sigset;

static char *stack; /* lowest usable byte; one, because the parent waits */
static enum clone_way way;

enum clone_way clone_way(void)
{
	return way;
}

void clone_set_way(enum clone_way new_way)
{
	way = new_way;
}

static int make_stack(void)
{
	char *area;

	if (stack)
		return 0;
	area = mmap(
		NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	if (mprotect(area, GUARD_SIZE, PROT_NONE) < 0) {
		munmap(area, GUARD_SIZE + STACK_SIZE);
		return -errno;
	}
	stack = area + GUARD_SIZE;
	return 0;
}

/*
 * The child returns from the system call on an empty stack, so it cannot return to C: it
 * calls fn(arg) and exits.  The parent goes on behind the label.  Registers that the kernel
 * keeps carry fn and arg over.
 */
#if defined(__x86_64__)
static long clone3_call(struct clone_args *args, int (*fn)(void *), void *arg)
{
	register void *fn_reg __asm__("r12") = (void *)fn;
	register void *arg_reg __asm__("r13") = arg;
	long result;

	__asm__ volatile(
		"syscall\n\t"
		"test %%rax, %%rax\n\t"
		"jnz 1f\n\t"
		"xor %%ebp, %%ebp\n\t"
		"mov %%r13, %%rdi\n\t"
		"call *%%r12\n\t"
		"mov %%eax, %%edi\n\t"
		"mov %[exit], %%eax\n\t"
		"syscall\n\t"
		"hlt\n"
		"1:"
		: "=a"(result)
		: "a"((long)SYS_clone3), "D"(args), "S"(sizeof *args), "r"(fn_reg), "r"(arg_reg), [exit] "i"(SYS_exit)
		: "rcx", "r11", "memory", "cc");
	return result;
}
#elif defined(__aarch64__)
static long clone3_call(struct clone_args *args, int (*fn)(void *), void *arg)
{
	register long number __asm__("x8") = SYS_clone3;
	register long x0 __asm__("x0") = (long)args;
	register long x1 __asm__("x1") = sizeof *args;
	register void *fn_reg __asm__("x9") = (void *)fn;
	register void *arg_reg __asm__("x10") = arg;

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, xzr\n\t"
			 "mov x30, xzr\n\t"
			 "mov x0, x10\n\t"
			 "blr x9\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc #0\n\t"
			 "brk #1\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(number), "r"(x1), "r"(fn_reg), "r"(arg_reg), [exit] "i"(SYS_exit)
			 : "memory", "cc");
	return x0;
}
#else
static long clone3_call(struct clone_args *args, int (*fn)(void *), void *arg)
{
	(void)args, (void)fn, (void)arg;
	return -ENOSYS;
}
#endif

static pid_t clone_new(struct child_plan *plan, int *ret_pid_fd)
{
	int cgroup_fd = take_fd(&plan->cgroup_fd);
	int pid_fd = -1;
	struct clone_args args = {
		.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_CLEAR_SIGHAND |
			 (cgroup_fd >= 0 ? CLONE_INTO_CGROUP : 0),
		.pidfd = (uintptr_t)&pid_fd,
		.exit_signal = SIGCHLD,
		.stack = (uintptr_t)stack,
		.stack_size = STACK_SIZE,
		.cgroup = cgroup_fd >= 0 ? (unsigned)cgroup_fd : 0,
	};
	long pid;

	plan->handlers_cleared = true;
	pid = clone3_call(&args, child_main, plan);
	plan->handlers_cleared = false;
	plan->cgroup_fd = cgroup_fd;
	if (pid > 0)
		*ret_pid_fd = pid_fd;
	return (pid_t)pid;
}

static pid_t clone_old(struct child_plan *plan, int *ret_pid_fd)
{
	pid_t pid = clone(child_main, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, plan);

	if (pid < 0)
		return -errno;
	/* Nobody but us reaps it, so the number is still the child's. */
	*ret_pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return pid;
}

/* Old kernels, old seccomp profiles and other kernels that look like Linux say no in these ways. */
static bool means_unknown(pid_t result)
{
	return result == -ENOSYS || result == -EPERM || result == -EINVAL || result == -E2BIG;
}

static pid_t clone_any(struct child_plan *plan, int *ret_pid_fd)
{
	pid_t pid = -ENOSYS;

	if (way != CLONE_WAY_OLD)
		pid = clone_new(plan, ret_pid_fd);
	if (pid > 0)
		way = CLONE_WAY_NEW;
	if (!means_unknown(pid))
		return pid;
	pid = clone_old(plan, ret_pid_fd);
	/* It was the call's fault, not the cgroup's, only if the same works the old way. */
	if (pid > 0 && plan->error == 0)
		way = CLONE_WAY_OLD;
	return pid;
}

struct request {
	struct child_plan *plan;
	int *ret_pid_fd;
	pid_t pid;
};

static void clone_here(void *arg)
{
	kernel_sigset all = ~(kernel_sigset)0, before;
	struct request *r = arg;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
	r->pid = clone_any(r->plan, r->ret_pid_fd);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

pid_t clone_child(struct child_plan *plan, int *ret_pid_fd)
{
	struct request r = { .plan = plan, .ret_pid_fd = ret_pid_fd };
	int result = make_stack();

	*ret_pid_fd = -1;
	if (result == 0 && plan->what->drop_capabilities)
		result = bounds_give_up();
	if (result < 0)
		return result;
	if (plan->what->drop_capabilities)
		clone_here(&r);
	else
		bounds_keep(clone_here, &r);
	return r.pid;
}
