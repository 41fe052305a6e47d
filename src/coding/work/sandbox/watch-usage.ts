import { readFileSync } from "node:fs"
import { lstat, readdir, readFile, statfs } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "../../../base/clock.ts"
import { walk } from "../files/walk.ts"
import type { SandboxEnd, SandboxLimits } from "./sandbox.ts"

type Excess = Extract<SandboxEnd, "too-much-memory" | "too-many-processes" | "too-much-disk">

const everyMs = 200
const megabyte = 1024 * 1024

interface WatchedSandbox {
  clock: Clock
  /** The root of the sandbox's process tree. */
  pid: number
  /** The folder that commands write. */
  folder: string
  limits: SandboxLimits
  onExcess(reason: Excess): void
}

/**
 * Repeatedly adds up what all processes of a sandbox use, because the system limits only each process. Without /proc,
 * only the disk is watched. Returns how to stop.
 */
export function watchUsage(sandbox: WatchedSandbox): () => void {
  let isStopped = false
  let cancel = () => {}
  const disk = openDiskWatch(sandbox)
  const check = async () => {
    const excess = (await excessOf(sandbox)) ?? (await disk())
    if (isStopped) return
    if (excess !== undefined) sandbox.onExcess(excess)
    cancel = sandbox.clock.after(everyMs, () => void check().catch(() => {}))
  }
  void check().catch(() => {})
  return () => {
    isStopped = true
    cancel()
  }
}

async function excessOf({ pid, limits }: WatchedSandbox): Promise<Excess | undefined> {
  const { memory, tasks } = await useOf(pid)
  if (memory > limits.memoryMb * megabyte) return "too-much-memory"
  // Leaves room for bubblewrap's own processes.
  return tasks > limits.processes + 8 ? "too-many-processes" : undefined
}

/** The memory in bytes and the threads of a process and all its descendants. */
async function useOf(top: number): Promise<{ memory: number; tasks: number }> {
  const below = await childrenByParent()
  const waiting = [top]
  let memory = 0
  let tasks = 0
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    waiting.push(...(below.get(pid) ?? []))
    const use = useOfOne(pid)
    memory += use.memory
    tasks += use.tasks
  }
  return { memory, tasks }
}

async function childrenByParent(): Promise<Map<number, number[]>> {
  const names = await readdir("/proc").catch(() => [])
  const below = new Map<number, number[]>()
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "")
    const parent = Number(
      stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ", 2)
        .at(1),
    )
    const others = below.get(parent)
    if (others) others.push(Number(name))
    else below.set(parent, [Number(name)])
  }
  return below
}

/** Private pages, and shared pages without a file, which are counted for each process that maps them. */
function useOfOne(pid: number): { memory: number; tasks: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)
    const memory = (kilobytes("RssAnon") + kilobytes("RssShmem") + kilobytes("VmSwap")) * 1024
    return { memory, tasks: kilobytes("Threads") }
  } catch {
    return { memory: 0, tasks: 0 }
  }
}

/** Checks the free space of the disk, and measures the folder only if that changed much or after a while. */
function openDiskWatch({ clock, folder, limits }: WatchedSandbox): () => Promise<Excess | undefined> {
  const most = limits.diskMb * megabyte
  let freeAtStart: number | undefined
  let dueAt = clock.now() + 1000
  return async () => {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    freeAtStart ??= free
    const lost = freeAtStart - free
    // Files that were deleted while open are in no folder.
    if (lost > 2 * most) return "too-much-disk"
    if (lost < most / 2 && clock.now() < dueAt) return undefined
    const began = clock.now()
    const size = await folderSize(folder, most)
    dueAt = clock.now() + Math.max(1000, 10 * (clock.now() - began))
    return size > most ? "too-much-disk" : undefined
  }
}

/** The space that a file takes besides its bytes, so that empty files count too. */
const fileBytes = 4096

/** The size of a folder in bytes, without following links; stops counting above `enough`. */
async function folderSize(folder: string, enough: number): Promise<number> {
  let size = 0
  for await (const { path, entry } of walk(folder, { isLenient: true })) {
    const found = entry.isFile() ? await lstat(join(folder, path)).catch(() => undefined) : undefined
    size += fileBytes + (found === undefined ? 0 : found.blocks * 512)
    if (size > enough) break
  }
  return size
}
