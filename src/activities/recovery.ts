import { UserError } from "../base/errors.ts"
import { isDamage } from "../storage/sqlite/errors.ts"
import { listSnapshots, type Snapshot } from "./snapshots.ts"

/** Refuses to begin with an empty database where snapshots say that there was one. */
export async function refuseVanished(directory: string, file: string): Promise<void> {
  const newest = await newestCopy(directory)
  if (newest === undefined) return
  const anew = "To begin with an empty memory instead, run `reverie init --empty`."
  throw new UserError(
    "lost",
    `${file} is missing or empty, but there are snapshots; ${putBack(newest)} ${anew}`,
  )
}

/** The failure of opening a database that is damaged, with the way back. */
export async function withSnapshotAdvice(error: unknown, directory: string): Promise<unknown> {
  if (!(error instanceof UserError) || !isDamage(error)) return error
  const newest = await newestCopy(directory)
  if (newest === undefined) return error
  const advice = putBack(newest)
  const sentence = error.message.replace(/\.$/, "")
  return new UserError(
    error.kind,
    `${sentence}. To go on with a snapshot, ${advice} What is there now is kept beside it.`,
    { cause: error },
  )
}

function putBack({ name }: Snapshot): string {
  return `put the newest back with \`reverie snapshot restore ${name}\` (\`reverie snapshot list\` shows all).`
}

/** Only copies of the file count: an export of PostgreSQL says nothing about it. */
async function newestCopy(directory: string): Promise<Snapshot | undefined> {
  return (await listSnapshots(directory)).find(({ name, bytes }) => name.endsWith(".db") && bytes > 0)
}
