import { lstatSync, readlinkSync } from "node:fs"
import { chown, lchown, readdir } from "node:fs/promises"
import { release } from "node:os"
import { dirname, join } from "node:path"
import { isWithin } from "../../../base/files/read-bounded.ts"
import { insideEnvironment, insideHome, limitedCommand } from "./inside.ts"
import { runBounded } from "./run-bounded.ts"
import type { Sandbox, SandboxLimits, SandboxSetup, SandboxView } from "./sandbox.ts"
import { systemCallFilter } from "./seccomp.ts"

/** As root, commands run as this user id, which no system assigns, because limits do not apply to root. */
const sandboxUser = 60_773
/** The id of an ordinary user in the sandbox. */
const insideUser = 1000
const megabyte = 1024 * 1024
/** The share of a command's memory that each of its two in-memory folders may use. */
const temporaryShare = 1 / 4
const mostTemporary = 512 * megabyte

/** Opens the sandbox for Linux: namespaces by bubblewrap, a system call filter, limits, and a watch over usage. */
export function openBubblewrap({ clock, program, readable, limits }: SandboxSetup): Sandbox {
  return {
    name: "bubblewrap",
    async run(request) {
      const filter = systemCallFilter(process.arch)
      if (filter === undefined) throw new Error(`there is no system call filter for ${process.arch}`)
      const files = [...userFiles(), ...request.view.files]
      const processLimits = { ...limits, processes: limits.processes + sharedCount() }
      const args = [
        ...isolation(),
        ...system(limits),
        ...readable.flatMap((folder) => [...foldersTo(folder), "--ro-bind-try", folder, folder]),
        // rustup creates this folder if it is missing.
        ...readable
          .filter((folder) => folder.endsWith("/.rustup/toolchains"))
          .flatMap((folder) => openFolder(join(dirname(folder), "update-hashes"))),
        ...project(request.view),
        ...files.flatMap(({ to }, index) => ["--perms", "0444", "--ro-bind-data", String(4 + index), to]),
        ...["--remount-ro", "/", "--chdir", "/", "--seccomp", "3", "--"],
        ...asSandboxUser(),
        ...limitedCommand(request, processLimits),
      ]
      const data = [filter, ...files.map(({ text }) => text)]
      const env = insideEnvironment(readable)
      return runBounded({
        ...{ clock, program, args, env, data, limits, request },
        cwd: "/",
      })
    },
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Gives a folder to the user that commands run as, if we run as root. Links are not followed. */
export async function giveToSandbox(folder: string): Promise<void> {
  if (!isRoot()) return
  await chown(folder, sandboxUser, sandboxUser)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveToSandbox(path)
    else await lchown(path, sandboxUser, sandboxUser)
  }
}

/** Separate namespaces, no capabilities, and an end together with our process. */
function isolation(): string[] {
  // As root, the mounts are made as root and the command then changes its user: no user namespace is needed.
  const user = isRoot()
    ? ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    : ["--unshare-user", "--uid", String(insideUser), "--gid", String(insideUser)]
  return [
    ...["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...user,
  ]
}

/** As root: drops root and all capabilities. */
function asSandboxUser(): string[] {
  if (!isRoot()) return []
  const who = String(sandboxUser)
  return [
    "setpriv",
    "--reuid",
    who,
    "--regid",
    who,
    "--clear-groups",
    "--inh-caps=-all",
    "--no-new-privs",
    "--",
  ]
}

/**
 * Before Linux 5.14 the process limit counted all processes of the user. There it must leave room for them, and only
 * the watch enforces the real limit.
 */
function sharedCount(): number {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  return isRoot() || major > 5 || (major === 5 && minor >= 14) ? 0 : 8192
}

/** The files of /etc that programs need: no user names, no keys, no hosts. */
const settings = [
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "os-release"],
  ...["ssl/openssl.cnf", "ssl/certs", "ca-certificates", "pki/tls/certs", "crypto-policies"],
  ...["mime.types", "protocols", "services", "gai.conf", "fonts", "terminfo", "magic", "manpath.config"],
  ...["python3", "perl", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk", "maven", "debian_version"],
]

function system({ memoryMb }: SandboxLimits): string[] {
  const temporary = String(Math.min(mostTemporary, Math.floor(memoryMb * temporaryShare) * megabyte))
  const roots = ["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"].flatMap((folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found === undefined) return []
    return found.isSymbolicLink()
      ? ["--symlink", readlinkSync(folder), folder]
      : ["--ro-bind", folder, folder]
  })
  return [
    ...[
      "--ro-bind",
      "/usr",
      "/usr",
      ...roots,
      ...["/etc", "/etc/ssl", "/etc/pki", "/etc/pki/tls"].flatMap(openFolder),
    ],
    ...settings.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", temporary, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", temporary, "--perms", "1777", "--tmpfs", "/tmp"],
    ...["--perms", "0777", "--dir", insideHome, "--dir", "/var", "--symlink", "/tmp", "/var/tmp"],
  ]
}

/** User, group and host files for programs that look names up. */
function userFiles(): SandboxView["files"] {
  const id = isRoot() ? sandboxUser : insideUser
  return [
    { to: "/etc/passwd", text: `sandbox:x:${id}:${id}::${insideHome}:/bin/sh\n` },
    { to: "/etc/group", text: `sandbox:x:${id}:\n` },
    { to: "/etc/hosts", text: "127.0.0.1 localhost\n::1 localhost\n" },
    { to: "/etc/nsswitch.conf", text: "passwd: files\ngroup: files\nhosts: files\n" },
  ]
}

function project({ root, readable }: SandboxView): string[] {
  const outside = readable.filter(({ to }) => !isWithin(root, to))
  const inside = readable.filter(({ to }) => isWithin(root, to))
  return [
    ...outside.flatMap(({ from, to }) => [...foldersTo(to), "--ro-bind", from, to]),
    ...[...foldersTo(root), "--bind", root, root],
    ...inside.flatMap(({ from, to }) => ["--ro-bind", from, to]),
  ]
}

/** Creates the folders above a path; bubblewrap alone would make them readable for its own user only. */
function foldersTo(path: string): string[] {
  const parts = dirname(path).split("/").filter(Boolean)
  return parts.flatMap((_, index) => openFolder(`/${parts.slice(0, index + 1).join("/")}`))
}

function openFolder(path: string): string[] {
  return ["--perms", "0755", "--dir", path]
}
