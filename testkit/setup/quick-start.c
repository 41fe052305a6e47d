// Loaded before a test process: has Node start programs without a copy of the tables of all its memory.
//
// Node starts a program by fork and exec. In a process of hundreds of megabytes the copy that fork makes takes longer than
// most of what a program such as git then does. vfork makes none: the new process borrows the memory of the old one, which
// waits until the other program runs. Node's library (libuv) does nothing in between that would not be right then, save
// two things: it points `environ` to the new variables, so that is put back; and it may become another user, which the C
// library does for all threads of the old process, so here the kernel is asked for the new process alone.
//
// x86-64 and Linux only. A program that goes on by itself after fork would break: so all but Node get the real one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN int is_node;
HIDDEN pid_t (*real_fork)(void);
static int (*real_setgroups)(size_t, const gid_t *);
static int (*real_setgid)(gid_t);
static int (*real_setuid)(uid_t);

__attribute__((constructor)) static void prepare(void) {
  real_fork = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");
  real_setgroups = (int (*)(size_t, const gid_t *))dlsym(RTLD_NEXT, "setgroups");
  real_setgid = (int (*)(gid_t))dlsym(RTLD_NEXT, "setgid");
  real_setuid = (int (*)(uid_t))dlsym(RTLD_NEXT, "setuid");
  is_node = strcmp(program_invocation_short_name, "node") == 0;
  // What is started does not load this too.
  unsetenv("LD_PRELOAD");
}

// All that is needed afterwards is kept in registers: the new process uses the same stack, and leaves this function first.
__asm__(
  ".text\n"
  ".globl fork\n"
  ".type fork, @function\n"
  "fork:\n"
  "  cmpl $0, is_node(%rip)\n"
  "  jne 1f\n"
  "  jmp *real_fork(%rip)\n"
  "1: pop %rdi\n"
  "  mov environ@GOTPCREL(%rip), %rdx\n"
  "  mov (%rdx), %rsi\n"
  "  mov $58, %eax\n"
  "  syscall\n"
  "  push %rdi\n"
  "  test %rax, %rax\n"
  "  jz 2f\n"
  "  mov %rsi, (%rdx)\n"
  "  cmp $-4095, %rax\n"
  "  jae 3f\n"
  "2: ret\n"
  "3: neg %eax\n"
  "  push %rax\n"
  "  call __errno_location@PLT\n"
  "  pop %rcx\n"
  "  mov %ecx, (%rax)\n"
  "  mov $-1, %eax\n"
  "  ret\n"
  ".size fork, .-fork\n");

int setgroups(size_t size, const gid_t *list) {
  return is_node ? (int)syscall(SYS_setgroups, size, list) : real_setgroups(size, list);
}

int setgid(gid_t gid) { return is_node ? (int)syscall(SYS_setgid, gid) : real_setgid(gid); }

int setuid(uid_t uid) { return is_node ? (int)syscall(SYS_setuid, uid) : real_setuid(uid); }
