import { createHash } from "node:crypto"
import { z } from "zod"
import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import { gitFolder } from "../../git/git-folder.ts"
import { readStored, saveStored } from "../../memory/garden/marks.ts"
import { foldersChangedSince } from "../../memory/model/known-projects.ts"
import type { Screen } from "../../privacy/screen.ts"
import { foldersSince, selectProjectsSince } from "../../sessions/session-projects.ts"
import type { InstallCore } from "../../storage/core.ts"
import { appendEntries } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { logMarksSchema, type PushScan, scanForPushes } from "./pushes.ts"

interface WatchGitNeeds extends InstallCore {
  /** Redacts branch names, which other people choose. */
  screen: Pick<Screen, "redactSync">
}

/** How often reflogs are scanned; for an unchanged clone that takes a few stats. */
const scanMs = 60_000
/** Projects without a session or a memory for this long are not scanned. */
const recentMs = 30 * 86_400_000
const mostFolders = 200
/** How often the list of folders is read again. */
const foldersMs = 10 * 60_000

/** Watches the user's projects for pushes while the daemon runs. Returns how to stop. */
export function startWatchingGit(needs: WatchGitNeeds): () => Promise<void> {
  const watcher = createWatcher(needs)
  const work = async () => {
    await watcher.scan()
    return scanMs
  }
  return startLoop(needs, { work, problem: "Scanning for pushes failed; trying again", retryMs: scanMs }).stop
}

interface Clone {
  project: string
  gitFolder: string
}

function createWatcher(needs: WatchGitNeeds) {
  const { db, clock } = needs
  let clones: Clone[] = []
  let readAt: number | undefined
  return {
    async scan(): Promise<void> {
      if (readAt === undefined || clock.now() - readAt >= foldersMs) {
        clones = await clonesOf(await recentFolders(needs))
        readAt = clock.now()
      }
      for (const clone of clones) {
        const known = await readMark(db, needs, clone)
        const scan = await scanForPushes(clone.gitFolder, known, (branch) => storedName(needs, branch))
        if (scan.isChanged) await saveScan(needs, clone, scan)
      }
    },
  }
}

/** A branch's name as it is stored. A redacted name gets a hash, so that it stays distinct. */
function storedName({ screen }: WatchGitNeeds, branch: string): string {
  const name = screen.redactSync(branch)
  return name === branch
    ? branch
    : `${name}#${createHash("sha256").update(branch).digest("hex").slice(0, 12)}`
}

/** The folders in which the user worked lately, with their projects. */
async function recentFolders({ db, clock, install }: WatchGitNeeds) {
  const since = clock.now() - recentMs
  const roots = await foldersChangedSince(db, since, selectProjectsSince(since))
  const known = [...roots, ...(await foldersSince(db, install, since))]
  return known
    .map(({ project, folder }) => ({ project, folder, key: `${project} ${folder}` }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .filter(({ key }, index, all) => key !== all[index - 1]?.key)
    .slice(0, mostFolders)
}

/** Each clone once, even if several of its folders and worktrees are known. */
async function clonesOf(folders: readonly { project: string; folder: string }[]): Promise<Clone[]> {
  const found = new Map<string, Clone>()
  for (const { project, folder } of folders) {
    const own = await gitFolder(folder)
    if (own !== undefined && !found.has(own)) found.set(own, { project, gitFolder: own })
  }
  return [...found.values()]
}

const markSchema = z.object({
  /** The time of the last scan that found something new. */
  since: z.number(),
  marks: logMarksSchema,
})

function markName({ install }: WatchGitNeeds, { gitFolder }: Clone): string {
  return `pushes/${install}/${gitFolder}`
}

async function readMark(on: Reader, needs: WatchGitNeeds, clone: Clone) {
  return markSchema.optional().parse(await readStored(on, markName(needs, clone)))
}

/** Records pushes and saves how far the reflogs were read, in one transaction: each push is recorded exactly once. */
async function saveScan(needs: WatchGitNeeds, clone: Clone, { pushes, marks }: PushScan): Promise<void> {
  const { db, clock, random } = needs
  const now = clock.now()
  const by = { operation: newId(random, "op"), actor: "daemon" }
  await db.write(async (transaction) => {
    await appendEntries(
      transaction,
      pushes.map(({ branch, head, at }) => ({
        ...by,
        at: now,
        kind: "repository.pushed" as const,
        subject: clone.project,
        data: { branch, head, pushedAt: at },
      })),
    )
    await saveStored(transaction, markName(needs, clone), { since: now, marks }, now)
  })
}
