import { existsSync } from "node:fs"
import type { Command } from "commander"
import { schemaVersion } from "../../../../api/answers/answer.ts"
import type { Answer } from "../../../../api/contract/answers.ts"
import { isoTimes } from "../../../../api/contract/iso-times.ts"
import { probeSocket } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { newId } from "../../../../base/random.ts"
import { bytesText } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"

/** `reverie snapshot …` */
export function snapshotCommand(program: Command, needs: CliNeeds): void {
  const snapshot = program.command("snapshot").description("copies of the whole memory that can be put back")
  snapshot
    .command("list")
    .description("show the snapshots there are, newest first")
    .option("--json", "answer in JSON")
    .action((options: { json?: boolean }) => listThem(needs, options.json ?? false))
  snapshot
    .command("take")
    .description("take one now")
    .action(() => takeOne(needs))
  snapshot
    .command("restore")
    .description("put one back; what it replaces is kept beside it")
    .argument("<name>", "a name that `snapshot list` shows")
    .action((name: string) => restoreOne(needs, name))
}

async function listThem(needs: CliNeeds, json: boolean): Promise<void> {
  // Without the database, which may be what is broken.
  const { listSnapshots } = await import("../../../../activities/snapshots.ts")
  const snapshots = (await listSnapshots(needs.paths.snapshotDir)).map(isoTimes)
  if (json) return needs.output.json({ schemaVersion, snapshots } satisfies Answer<"snapshots">)
  const rows = snapshots.map((one) => [one.name, one.at, bytesText(one.bytes)])
  if (rows.length > 0) return needs.output.data(table(rows, needs.output.width))
  needs.output.say("There are none yet; the daemon takes them, or `reverie snapshot take`.")
}

async function takeOne(needs: CliNeeds): Promise<void> {
  const taken = await withClient(needs, (client) => client.takeSnapshot())
  needs.output.say(`Took a snapshot (${bytesText(taken.bytes)}).`)
  needs.output.data(taken.name)
}

async function restoreOne(needs: CliNeeds, name: string): Promise<void> {
  const { listSnapshots, restoreSnapshot } = await import("../../../../activities/snapshots.ts")
  const { loadConfig } = await import("../../../../config/load.ts")
  const snapshots = await listSnapshots(needs.paths.snapshotDir)
  const found = snapshots.find((one) => one.name === name)
  if (!found)
    throw new UserError("not-found", `There is no snapshot ${name}; \`reverie snapshot list\` shows them.`)
  if ((await probeSocket(needs.paths.socket)) === "listening") {
    throw new UserError(
      "conflict",
      "The daemon is running; stop it with `reverie stop` before putting a snapshot back.",
    )
  }
  const { url } = loadConfig(needs.env, needs.paths).storage
  if (/^postgres/.test(url)) {
    const advice = `give ${found.file} to \`reverie memory import\`.`
    throw new UserError("usage", `Only SQLite is restored so; ${advice}`)
  }
  const { sqliteFileOf } = await import("../../../../storage/open-database.ts")
  const file = sqliteFileOf(url, needs.paths.databaseFile)
  const aside = await restoreSnapshot(found, file, needs.clock.now())
  await noteRestored(needs, name)
  const before = existsSync(aside) ? ` What was there before is in ${aside}.` : ""
  needs.output.say(`Put back ${name}.${before}`)
}

/** The journal that came back with the snapshot tells that it did. */
async function noteRestored(needs: CliNeeds, name: string): Promise<void> {
  const { appendEntry } = await import("../../../../storage/journal.ts")
  const db = await needs.openDatabase()
  try {
    const at = needs.clock.now()
    const entry = {
      operation: newId(needs.random, "op"),
      actor: "cli",
      at,
      kind: "snapshot.restored" as const,
      subject: name,
    }
    await db.write((transaction) => appendEntry(transaction, entry))
  } finally {
    await db.close()
  }
}
