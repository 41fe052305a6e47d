import { createHash } from "node:crypto"
import { UserError } from "../../base/errors.ts"
import { writeAtomically } from "../../base/files/files.ts"
import { lineDiff } from "../../base/text/line-diff.ts"
import { withoutPassword } from "../../base/text/text.ts"
import { configWith } from "../../config/edit.ts"
import { projectRules } from "../../config/key.ts"
import { faultText, readConfig } from "../../config/load.ts"
import { allKeys, valueAt } from "../../config/schema.ts"
import { appendEntry } from "../../storage/journal.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

/** Reading, comparing and writing settings. */
export function configRoutes(on: AddRoute, needs: AppNeeds): void {
  const file = needs.paths.configFile
  on("config", () => {
    const { config, faults } = readConfig(file)
    const keys = allKeys()
    const settings = keys.map(({ name, table, help, expects, fallback, tighten }) => ({
      ...{ key: name, table, help, expects, default: fallback },
      value: masked(valueAt(config, name)),
      project: tighten === undefined ? null : projectRules[tighten],
    }))
    const afterRestart = keys
      .map(({ name }) => name)
      .filter((name) => name !== "storage.url" || needs.env.databaseUrl === undefined)
      .filter((name) => !isSame(valueAt(config, name), valueAt(needs.config, name)))
    return { file, settings, afterRestart, faults: faults.map(faultText) }
  })
  on("configDiff", async ({ changes }) => {
    const { before, after } = configWith(file, changes)
    const diff = lineDiff(before, after).map(maskedLine)
    return { file, diff, digest: digestOf(before) }
  })
  on("configWrite", async ({ changes, digest }, call) => {
    const by = call.by()
    const { before, after } = configWith(file, changes)
    if (digestOf(before) !== digest) {
      throw new UserError("conflict", `${file} was changed meanwhile; check the diff again.`)
    }
    const keys = changes.map(({ key }) => key)
    writeAtomically(file, after)
    await needs.db.write((transaction) =>
      appendEntry(transaction, { ...by, at: needs.clock.now(), kind: "config.changed", data: { keys } }),
    )
    return { outcome: "written", file, keys }
  })
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function masked(value: unknown): unknown {
  return typeof value === "string" ? withoutPassword(value) : value
}

function maskedLine(line: string): string {
  return line.replaceAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi, withoutPassword)
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
