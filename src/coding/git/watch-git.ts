import { createHash } from "node:crypto"
import { z } from "zod"
import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import { gitFolder } from "../../git/git-folder.ts"
import { readStored, store } from "../../memory/garden/stored-marks.ts"
import { rootsSince } from "../../memory/model/known-projects.ts"
import type { Screen } from "../../privacy/screen.ts"
import { foldersSince, selectProjectsSince } from "../../sessions/session-projects.ts"
import type { InstallCore } from "../../storage/core.ts"
import { appendEntries } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type Looked, lookForPushes } from "./pushes.ts"

/** What noticing pushes needs. */
export interface WatchGitNeeds extends InstallCore {
  /** Takes secrets out of a text: branches are named by whoever pushes. */
  screen: Pick<Screen, "redactSync">
}

/** How often git's logs are looked at; a look at a clone where nothing happened is a few stats. */
const lookMs = 60_000
/** Projects without a session or a memory for so long are left alone. */
const recentMs = 30 * 86_400_000
const mostFolders = 200
/** Which folders there are is asked anew only so often. */
const foldersMs = 10 * 60_000

/** Notices pushes in the user's projects for as long as the daemon lives. Returns how to stop. */
export function startWatchingGit(needs: WatchGitNeeds): () => Promise<void> {
  const watcher = createWatcher(needs)
  const work = async () => {
    await watcher.look()
    return lookMs
  }
  return startLoop(needs, { work, problem: "Looking for pushes failed; trying again", retryMs: lookMs }).stop
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
    async look(): Promise<void> {
      if (readAt === undefined || clock.now() - readAt >= foldersMs) {
        clones = await clonesOf(await recentFolders(needs))
        readAt = clock.now()
      }
      for (const clone of clones) {
        const known = await readMark(db, needs, clone)
        const looked = await lookForPushes(clone.gitFolder, known, (branch) => keptName(needs, branch))
        if (looked.isChanged) await keep(needs, clone, looked)
      }
    },
  }
}

/** What is kept of a branch's name; one with a secret in it is still told apart from others. */
function keptName({ screen }: WatchGitNeeds, branch: string): string {
  const name = screen.redactSync(branch)
  return name === branch
    ? branch
    : `${name}#${createHash("sha256").update(branch).digest("hex").slice(0, 12)}`
}

/** Where the user has worked lately, with the project each folder belongs to. */
async function recentFolders({ db, clock, install }: WatchGitNeeds) {
  const since = clock.now() - recentMs
  const roots = await rootsSince(db, since, selectProjectsSince(since))
  const known = [...roots, ...(await foldersSince(db, install, since))]
  return known
    .map(({ project, folder }) => ({ project, folder, key: `${project} ${folder}` }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .filter(({ key }, index, all) => key !== all[index - 1]?.key)
    .slice(0, mostFolders)
}

/** Each clone once, however many of its folders and worktrees are known. */
async function clonesOf(folders: readonly { project: string; folder: string }[]): Promise<Clone[]> {
  const found = new Map<string, Clone>()
  for (const { project, folder } of folders) {
    const own = await gitFolder(folder)
    if (own !== undefined && !found.has(own)) found.set(own, { project, gitFolder: own })
  }
  return [...found.values()]
}

const markSchema = z.object({
  /** When it was last looked at and something was new. */
  since: z.number(),
  marks: z.record(
    z.string(),
    z.object({ head: z.string(), at: z.number(), size: z.number(), changedAt: z.number() }),
  ),
})

function markName({ install }: WatchGitNeeds, { gitFolder }: Clone): string {
  return `pushes/${install}/${gitFolder}`
}

async function readMark(on: Reader, needs: WatchGitNeeds, clone: Clone) {
  return markSchema.optional().parse(await readStored(on, markName(needs, clone)))
}

/** Tells of pushes and keeps how far the logs were read, at once: no push is told of twice, or never. */
async function keep(needs: WatchGitNeeds, clone: Clone, { pushes, marks }: Looked): Promise<void> {
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
    await store(transaction, markName(needs, clone), { since: now, marks }, now)
  })
}
