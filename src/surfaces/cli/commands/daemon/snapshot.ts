import { existsSync } from "node:fs"
import type { Command } from "commander"
import { schemaVersion } from "../../../../api/answers/answer.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import { isoTimes } from "../../../../api/contract/iso-times.ts"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { newId } from "../../../../base/random.ts"
import { bytesText } from "../../../../base/text/text.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"

/** `reverie snapshot …` */
export function snapshotCommand(program: Command, needs: CliNeeds): void {
  const snapshot = program
    .command("snapshot")
    .description("list, take and restore copies of the whole memory")
  snapshot
    .command("list")
    .description("list the snapshots, newest first")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) => list(needs, options.json ?? false))
  snapshot
    .command("take")
    .description("take a snapshot now")
    .action(() => take(needs))
  snapshot
    .command("restore")
    .description("restore a snapshot; the current database is kept next to it")
    .argument("<name>", "a name that `snapshot list` shows")
    .action((name: string) => restore(needs, name))
}

async function list(needs: CliNeeds, json: boolean): Promise<void> {
  // Without the database, which may be what is broken.
  const { listSnapshots } = await import("../../../../activities/snapshots.ts")
  const snapshots = (await listSnapshots(needs.paths.snapshotDir)).map(isoTimes)
  if (json) return needs.output.json({ schemaVersion, snapshots } satisfies Answer<"snapshots">)
  const rows = snapshots.map((one) => [one.name, one.at, bytesText(one.bytes)])
  if (rows.length > 0) return needs.output.data(table(rows, needs.output.width))
  needs.output.say("There are no snapshots yet; the daemon takes them, or `reverie snapshot take`.")
}

async function take(needs: CliNeeds): Promise<void> {
  const taken = await withClient(needs, (client) => client.takeSnapshot())
  needs.output.say(`Took a snapshot (${bytesText(taken.bytes)}).`)
  needs.output.data(taken.name)
}

async function restore(needs: CliNeeds, name: string): Promise<void> {
  if (name === "")
    throw new UserError("usage", "The name of the snapshot is empty; `reverie snapshot list` shows them.")
  const { listSnapshots, restoreSnapshot } = await import("../../../../activities/snapshots.ts")
  const { loadConfig } = await import("../../../../config/load.ts")
  const snapshots = await listSnapshots(needs.paths.snapshotDir)
  const found = snapshots.find((one) => one.name === name)
  if (!found)
    throw new UserError("not-found", `There is no snapshot ${name}; \`reverie snapshot list\` shows them.`)
  if (await isDaemonUp(needs.paths.socket)) {
    throw new UserError(
      "conflict",
      "The daemon is running; stop it with `reverie stop` before you restore a snapshot.",
    )
  }
  const { url } = loadConfig(needs.env, needs.paths).storage
  if (/^postgres/.test(url)) {
    const advice = `import ${found.file} with \`reverie memory import\`.`
    throw new UserError("usage", `This restores SQLite only; ${advice}`)
  }
  const { sqliteFileOf } = await import("../../../../storage/open-database.ts")
  const file = sqliteFileOf(url, needs.paths.databaseFile)
  const aside = await restoreSnapshot(found, file, needs.clock.now())
  await noteRestored(needs, name)
  const before = existsSync(aside) ? ` The old database is in ${aside}.` : ""
  needs.output.say(`Restored ${name}.${before}`)
}

/** Writes the restore into the restored journal. */
async function noteRestored(needs: CliNeeds, name: string): Promise<void> {
  const { appendEntry } = await import("../../../../storage/journal.ts")
  const db = await needs.openDatabase()
  try {
    const by = { operation: newId(needs.random, "op"), actor: "cli" }
    const entry = { ...by, at: needs.clock.now(), kind: "snapshot.restored" as const, subject: name }
    await db.write((transaction) => appendEntry(transaction, entry))
  } finally {
    await db.close()
  }
}
