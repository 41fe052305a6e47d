/** A test of one argument of a system call. Except for `above`, only its lower 32 bits count. */
type Condition =
  | { arg: number; has: number }
  | { arg: number; is: number }
  | { arg: number; isNot: readonly number[] }
  | { arg: number; above: number }

interface Rule {
  /** The numbers of the call on x86-64 and on 64-bit ARM; undefined if it does not exist there. */
  numbers: readonly [number | undefined, number | undefined]
  /** All of them must be true. */
  when?: readonly Condition[]
  error: number
}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** Flags of clone and unshare for new namespaces; CLONE_NEWTIME exists for unshare only. */
const namespaceFlags = 0x7e020000
const newTime = 0x80
/** O_CREAT and O_TMPFILE: only with these does open use its mode. */
const makesFile = 0x400040
const setIdBits = 0o6000
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c]
/** PostgreSQL needs a small shared memory segment. Larger ones would not be counted as memory of a process. */
const largestSegment = 65_536

/** Rules that always refuse these calls. */
function never(error: number, ...numbers: readonly Rule["numbers"][]): Rule[] {
  return numbers.map((one) => ({ numbers: one, error }))
}

/** The same for calls with one number on both architectures. */
function alike(error: number, ...numbers: readonly number[]): Rule[] {
  return numbers.map((one) => ({ numbers: [one, one], error }))
}

const rules: readonly Rule[] = [
  // ptrace, process_vm_readv and _writev, kcmp, pidfd_getfd, process_madvise: other processes.
  ...never(EPERM, [101, 117], [310, 270], [311, 271], [312, 272]),
  ...alike(EPERM, 438, 440),
  // add_key, request_key, keyctl: user namespaces do not separate keys.
  ...never(EPERM, [248, 217], [249, 218], [250, 219]),
  // mount, umount2, pivot_root, chroot, setns; open_tree to fspick, mount_setattr.
  ...never(EPERM, [165, 40], [166, 39], [155, 41], [161, 51], [308, 268]),
  ...alike(EPERM, 428, 429, 430, 431, 432, 433, 442),
  // New namespaces. The flags of clone3 are in memory; without it, programs fall back to clone.
  { numbers: [272, 97], when: [{ arg: 0, has: namespaceFlags | newTime }], error: EPERM },
  { numbers: [56, 220], when: [{ arg: 0, has: namespaceFlags }], error: EPERM },
  ...alike(ENOSYS, 435),
  // bpf, perf_event_open, userfaultfd, io_uring: a large kernel surface that no test needs.
  ...never(EPERM, [321, 280], [298, 241], [323, 282]),
  ...alike(ENOSYS, 425, 426, 427),
  // kexec, modules, swap, reboot, acct, clocks, names of the machine, syslog, quotas, ports.
  ...never(EPERM, [246, 104], [320, 294], [175, 105], [313, 273], [176, 106], [167, 224], [168, 225]),
  ...never(EPERM, [169, 142], [163, 89], [164, 170], [227, 112], [170, 161], [171, 162]),
  ...never(EPERM, [103, 116], [179, 60], [443, 443], [172, undefined], [173, undefined], [153, 58]),
  // name_to_handle_at and open_by_handle_at, fanotify_init, modify_ldt.
  ...never(EPERM, [303, 264], [304, 265], [300, 262], [154, undefined]),
  // memfd_create, memfd_secret: memory that counts for no process.
  ...never(ENOSYS, [319, 279], [447, 447]),
  { numbers: [29, 194], when: [{ arg: 1, above: largestSegment }], error: EPERM },
  // Sockets: the network namespace confines TCP, UDP and abstract names, but not VSOCK and others.
  ...[[41, 198] as const, [53, 199] as const].map(
    (numbers): Rule => ({
      numbers,
      when: [{ arg: 0, isNot: Object.values(families) }],
      error: EAFNOSUPPORT,
    }),
  ),
  // Of netlink, only routing, which lists the interfaces.
  {
    numbers: [41, 198],
    when: [
      { arg: 0, is: families.netlink },
      { arg: 2, isNot: [0] },
    ],
    error: EAFNOSUPPORT,
  },
  // ioctl requests that type into a terminal.
  ...[TIOCSTI, TIOCLINUX].map(
    (request): Rule => ({
      numbers: [16, 29],
      when: [{ arg: 1, is: request ?? 0 }],
      error: EPERM,
    }),
  ),
  // Set-user-id and set-group-id files: chmod, fchmod, fchmodat, fchmodat2, mknod, mknodat, creat, open, openat.
  ...(
    [
      [[90, undefined], 1],
      [[91, 52], 1],
      [[268, 53], 2],
      [[452, 452], 2],
      [[133, undefined], 1],
      [[259, 33], 2],
      [[85, undefined], 1],
    ] as const
  ).map(([numbers, arg]): Rule => ({ numbers, when: [{ arg, has: setIdBits }], error: EPERM })),
  ...(
    [
      [[2, undefined], 1],
      [[257, 56], 2],
    ] as const
  ).map(
    ([numbers, arg]): Rule => ({
      numbers,
      when: [
        { arg, has: makesFile },
        { arg: arg + 1, has: setIdBits },
      ],
      error: EPERM,
    }),
  ),
  // The mode of openat2 is in memory; without it, programs fall back to openat.
  ...alike(ENOSYS, 437),
]

/** Higher numbers are newer than these rules and answer ENOSYS. */
const newestKnown = 462

const architectures = {
  x64: { audit: 0xc000003e, index: 0 },
  arm64: { audit: 0xc00000b7, index: 1 },
} as const

/** One BPF instruction. */
interface Instruction {
  code: number
  ifTrue: number
  ifFalse: number
  value: number
}

const [LOAD, EQUALS, ABOVE, AT_LEAST, SHARES, RETURN] = [0x20, 0x15, 0x25, 0x35, 0x45, 0x06]
const allow = 0x7fff0000
const killProcess = 0x80000000
const withError = 0x00050000
/** The second number table of x86-64 (x32) starts here. */
const otherTable = 0x40000000

/** The seccomp filter as BPF, for what namespaces do not confine. Undefined for other processors. */
export function systemCallFilter(processor: string): Buffer | undefined {
  const known = Object.entries(architectures).find(([name]) => name === processor)?.[1]
  if (known === undefined) return undefined
  const program = [
    load(4),
    jump(EQUALS, known.audit, 1, 0),
    give(killProcess),
    load(0),
    jump(AT_LEAST, otherTable, 0, 1),
    give(withError | ENOSYS),
    jump(ABOVE, newestKnown, 0, 1),
    give(withError | ENOSYS),
    ...rules.flatMap((rule) => compile(rule, known.index)),
    give(allow),
  ]
  return Buffer.concat(program.map(encode))
}

function compile({ numbers, when = [], error }: Rule, index: 0 | 1): Instruction[] {
  const number = numbers[index]
  if (number === undefined) return []
  // From the last to the first, so that each condition knows how far to jump.
  let rest: Instruction[] = [give(withError | error)]
  for (const condition of when.toReversed()) rest = [...test(condition, rest.length), ...rest]
  return [load(0), jump(EQUALS, number, 0, rest.length), ...rest]
}

/** Continues if the condition is true, else jumps over that many instructions after it. */
function test(condition: Condition, over: number): Instruction[] {
  const low = load(16 + 8 * condition.arg)
  const high = load(20 + 8 * condition.arg)
  if ("has" in condition) return [low, jump(SHARES, condition.has, 0, over)]
  if ("is" in condition) return [low, jump(EQUALS, condition.is, 0, over)]
  if ("above" in condition) return [high, jump(ABOVE, 0, 2, 0), low, jump(ABOVE, condition.above, 0, over)]
  const { isNot } = condition
  return [low, ...isNot.map((value, at) => jump(EQUALS, value, isNot.length - at - 1 + over, 0))]
}

function load(offset: number): Instruction {
  return { code: LOAD, ifTrue: 0, ifFalse: 0, value: offset }
}

function jump(code: number, value: number, ifTrue: number, ifFalse: number): Instruction {
  return { code, ifTrue, ifFalse, value }
}

function give(value: number): Instruction {
  return { code: RETURN, ifTrue: 0, ifFalse: 0, value }
}

function encode({ code, ifTrue, ifFalse, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
