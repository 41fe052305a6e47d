import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { type Clock, sleep } from "../clock.ts"
import { codeOf, UserError } from "../errors.ts"
import { isAlive, startOf } from "../processes.ts"
import { newId, type Random } from "../random.ts"
import { fileError, makePrivateFolder } from "./files.ts"

interface FileLockNeeds {
  clock: Clock
  random: Random
}

/** Who holds a lock. */
interface Owner {
  id: string
  pid: number
  host: string
  /** What the system says of the process's beginning, so that a number used again is told apart. */
  start: string | null
  /** When it was taken. */
  at: number
}

/** How long to wait between two tries, and how long in all. */
const pauseMs = 40
const patienceMs = 90_000

/** A lock this old is of nobody, whatever its process: the work under it takes seconds. */
const oldestMs = 10 * 60_000

/**
 * Runs work while no other process on this file does. The lock is a file of its own that names its owner; one that
 * a dead process left behind is taken over.
 */
export async function withFileLock<T>(
  needs: FileLockNeeds,
  file: string,
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${file}.lock`
  const release = await acquire(needs, lock)
  try {
    return await work()
  } finally {
    release()
  }
}

async function acquire(needs: FileLockNeeds, lock: string): Promise<() => void> {
  const deadline = needs.clock.now() + patienceMs
  const own = claimOf(needs)
  for (;;) {
    if (take(lock, own)) return () => letGo(lock, own)
    const holder = read(lock)
    if (clearAway(needs, lock, own)) continue
    if (needs.clock.now() >= deadline) throw busy(lock, holder)
    await sleep(needs.clock, pauseMs)
  }
}

function claimOf({ clock, random }: FileLockNeeds): Owner {
  const start = startOf(process.pid) ?? null
  return { id: newId(random, "lock"), pid: process.pid, host: hostname(), start, at: clock.now() }
}

/** A link fails if somebody was first, and shows its whole text at once, which an exclusive create would not. */
function take(lock: string, own: Owner): boolean {
  const claim = `${lock}.${own.id}`
  makePrivateFolder(dirname(lock))
  try {
    writeFileSync(claim, `${JSON.stringify(own)}\n`, { mode: 0o600 })
    linkSync(claim, lock)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw fileError(error, lock)
  } finally {
    rmSync(claim, { force: true })
  }
}

function letGo(lock: string, own: Owner): void {
  if (read(lock)?.id === own.id) rmSync(lock, { force: true })
}

function read(lock: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(lock, "utf8")) as Owner
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    // Not ours, or cut short by a full disk: it names nobody who could hold it.
    return { id: "", pid: 0, host: "", start: null, at: 0 }
  }
}

function isLeftBehind({ clock }: FileLockNeeds, owner: Owner | undefined): boolean {
  if (owner === undefined) return false
  const { pid, host, start, at } = owner
  if (clock.now() - at > oldestMs) return true
  if (host !== hostname()) return false
  if (!isAlive(pid)) return true
  return start !== null && startOf(pid) !== start
}

/**
 * Removes a lock that was left behind, and tells whether it did. Only whoever holds a second lock may remove the
 * first of somebody else, so that a new owner's is never hit.
 */
function clearAway(needs: FileLockNeeds, lock: string, own: Owner): boolean {
  if (!isLeftBehind(needs, read(lock))) return false
  const broom = `${lock}.broom`
  if (!take(broom, own)) {
    if (isLeftBehind(needs, read(broom))) rmSync(broom, { force: true })
    return false
  }
  try {
    if (!isLeftBehind(needs, read(lock))) return false
    rmSync(lock, { force: true })
    return true
  } finally {
    letGo(broom, own)
  }
}

function busy(lock: string, holder: Owner | undefined): UserError {
  const who = holder === undefined ? "Another process" : `Another process (pid ${holder.pid})`
  return new UserError("conflict", `${who} has held ${lock} for too long; end it and try again.`)
}
