import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { type Clock, sleep } from "../clock.ts"
import { codeOf, UserError } from "../errors.ts"
import { isAlive, processStartTime } from "../processes.ts"
import { newId, type Random } from "../random.ts"
import { fileError, makePrivateFolder } from "./files.ts"

interface FileLockNeeds {
  clock: Clock
  random: Random
}

/** The owner of a lock, as written into its file. */
interface Owner {
  id: string
  pid: number
  host: string
  /** The process's start time, because process ids are reused. */
  start: string | null
  /** When the lock was taken. */
  at: number
}

/** The pause between two attempts, and the total time to wait. */
const pauseMs = 40
const timeoutMs = 90_000

/** An older lock is abandoned even if its process runs: work under a lock takes seconds. */
const oldestMs = 10 * 60_000

/** Runs work that only one process may do on this file. A lock that a dead process left behind is taken over. */
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
  const deadline = needs.clock.now() + timeoutMs
  const own = ownerRecord(needs)
  for (;;) {
    if (take(lock, own)) return () => release(lock, own)
    const holder = read(lock)
    if (removeAbandoned(needs, lock, own)) continue
    if (needs.clock.now() >= deadline) throw timeoutError(lock, holder)
    await sleep(needs.clock, pauseMs)
  }
}

function ownerRecord({ clock, random }: FileLockNeeds): Owner {
  const start = processStartTime(process.pid) ?? null
  return { id: newId(random, "lock"), pid: process.pid, host: hostname(), start, at: clock.now() }
}

/** Takes the lock by linking a complete file, so that others never read a partial owner. */
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

function release(lock: string, own: Owner): void {
  if (read(lock)?.id === own.id) rmSync(lock, { force: true })
}

function read(lock: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(lock, "utf8")) as Owner
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    // Not our format, or truncated by a full disk: it has no owner.
    return { id: "", pid: 0, host: "", start: null, at: 0 }
  }
}

function isAbandoned({ clock }: FileLockNeeds, owner: Owner | undefined): boolean {
  if (owner === undefined) return false
  const { pid, host, start, at } = owner
  if (clock.now() - at > oldestMs) return true
  if (host !== hostname()) return false
  if (!isAlive(pid)) return true
  return start !== null && processStartTime(pid) !== start
}

/** Removes an abandoned lock; true if it did. A second lock ensures that a new owner's lock is never removed. */
function removeAbandoned(needs: FileLockNeeds, lock: string, own: Owner): boolean {
  if (!isAbandoned(needs, read(lock))) return false
  const broom = `${lock}.broom`
  if (!take(broom, own)) {
    if (isAbandoned(needs, read(broom))) rmSync(broom, { force: true })
    return false
  }
  try {
    if (!isAbandoned(needs, read(lock))) return false
    rmSync(lock, { force: true })
    return true
  } finally {
    release(broom, own)
  }
}

function timeoutError(lock: string, holder: Owner | undefined): UserError {
  const who = holder === undefined ? "Another process" : `Another process (pid ${holder.pid})`
  return new UserError("conflict", `${who} has held ${lock} for too long; end it and try again.`)
}
