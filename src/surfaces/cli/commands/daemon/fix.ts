import { chmodSync } from "node:fs"
import type { Fix } from "../../../../activities/check.ts"
import { messageOf } from "../../../../base/errors.ts"
import type { CliNeeds } from "../../needs.ts"

/** The result of one fix. */
export interface Fixed {
  what: string
  outcome: "fixed" | "failed"
  reason?: string
}

/** Applies each fix once. None of them needs a decision of the user. */
export async function applyFixes(needs: CliNeeds, fixes: readonly Fix[]): Promise<Fixed[]> {
  const once = new Map(fixes.map((fix) => [JSON.stringify(fix), fix]))
  const done: Fixed[] = []
  for (const fix of once.values()) {
    const what = whatOf(fix)
    try {
      await apply(needs, fix)
      done.push({ what, outcome: "fixed" })
    } catch (error) {
      done.push({ what, outcome: "failed", reason: messageOf(error) })
    }
  }
  return done
}

function whatOf(fix: Fix): string {
  switch (fix.kind) {
    case "private":
      return `${fix.file} can be read by you only`
    case "start":
      return "the daemon runs"
    case "restart":
      return "the daemon runs in this version"
    case "connect":
      return `${fix.tool} is connected again`
    case "retry":
      return `${fix.place} is read again`
  }
}

async function apply(needs: CliNeeds, fix: Fix): Promise<void> {
  switch (fix.kind) {
    case "private":
      return chmodSync(fix.file, 0o600)
    case "start":
      return (await import("./daemon.ts")).startQuietly(needs)
    case "restart":
      return (await import("./daemon.ts")).restartQuietly(needs)
    case "connect":
      return (await import("../sessions/connect.ts")).reconnect(needs, fix.tool, fix.project)
    case "retry": {
      const { withClient } = await import("../../api-command.ts")
      await withClient(needs, (client) => client.retrySessions({ place: fix.place }))
    }
  }
}
