import { readFileSync } from "node:fs"
import { readdir, readFile, statfs } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "../../../base/clock.ts"
import { folderSize } from "./folder-size.ts"
import type { SandboxEnd, SandboxLimits } from "./sandbox.ts"

type Excess = Extract<SandboxEnd, "too-much-memory" | "too-many-processes" | "too-much-disk">

const everyMs = 200
const megabyte = 1024 * 1024

interface WatchNeeds {
  clock: Clock
  /** The process at the top; all others of the sandbox are below it. */
  pid: number
  /** The folder that is written. */
  folder: string
  limits: SandboxLimits
  onExcess(reason: Excess): void
}

/**
 * Adds up what all processes of a sandbox take, again and again: limits of the system hold for each process alone.
 * Where there is no /proc, only the disk is watched.
 */
export function watchUse(needs: WatchNeeds): () => void {
  let isOver = false
  let callOff = () => {}
  const disk = openDiskWatch(needs)
  const look = async () => {
    const excess = (await overUse(needs)) ?? (await disk())
    if (isOver) return
    if (excess !== undefined) needs.onExcess(excess)
    callOff = needs.clock.after(everyMs, () => void look().catch(() => {}))
  }
  void look().catch(() => {})
  return () => {
    isOver = true
    callOff()
  }
}

async function overUse({ pid, limits }: WatchNeeds): Promise<Excess | undefined> {
  const { memory, tasks } = await useOf(pid)
  if (memory > limits.memoryMb * megabyte) return "too-much-memory"
  // The two of bubblewrap itself come on top.
  return tasks > limits.processes + 8 ? "too-many-processes" : undefined
}

/** Memory and tasks of a process and all below it. */
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

/** Its own pages, and shared ones that are no file's: those are counted once more for each that has them. */
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

/** Looks at how full the disk is, and at the folder itself only when that changed much or a while has passed. */
function openDiskWatch({ clock, folder, limits }: WatchNeeds): () => Promise<Excess | undefined> {
  const most = limits.diskMb * megabyte
  let freeAtStart: number | undefined
  let dueAt = clock.now() + 1000
  return async () => {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    freeAtStart ??= free
    const lost = freeAtStart - free
    // Files that were deleted while open are seen in no folder.
    if (lost > 2 * most) return "too-much-disk"
    if (lost < most / 2 && clock.now() < dueAt) return undefined
    const began = clock.now()
    const size = await folderSize(join(folder), most)
    dueAt = clock.now() + Math.max(1000, 10 * (clock.now() - began))
    return size > most ? "too-much-disk" : undefined
  }
}
