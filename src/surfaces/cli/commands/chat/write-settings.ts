import { existsSync, readFileSync } from "node:fs"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { lineDiff } from "../../../../base/text/line-diff.ts"
import type { CliNeeds } from "../../needs.ts"

type Values = Record<string, unknown>

/** Throws if a value is wrong, before anything is saved. */
export async function requireSettings(platform: string, values: Values): Promise<void> {
  const { configSchema } = await import("../../../../config/schema.ts")
  const { keyInfo } = await import("../../../../config/load.ts")
  const parsed = configSchema.safeParse({ chat: { [platform]: values } })
  if (parsed.success) return
  const path = parsed.error.issues[0]?.path.slice(0, 3).join(".") ?? ""
  throw new UserError("usage", `${path} must be ${keyInfo(path)?.expects ?? "something else"}.`)
}

/** Writes the settings that differ from the current ones, and shows the diff of the file. */
export async function writeSettings(needs: CliNeeds, platform: string, values: Values): Promise<string[]> {
  const { setConfigValue } = await import("../../../../config/edit.ts")
  const { loadConfig } = await import("../../../../config/load.ts")
  const { valueAt } = await import("../../../../config/schema.ts")
  const file = needs.paths.configFile
  const now = loadConfig(needs.env, needs.paths)
  const textOf = () => (existsSync(file) ? readFileSync(file, "utf8") : "")
  const before = textOf()
  const changed = Object.entries(values).flatMap(([key, value]) => {
    const name = `chat.${platform}.${key}`
    if (JSON.stringify(valueAt(now, name)) === JSON.stringify(value)) return []
    setConfigValue(file, name, typeof value === "string" ? value : JSON.stringify(value))
    return [name]
  })
  if (changed.length === 0) needs.output.say(`${file} already has these settings; it was not changed.`)
  else needs.output.say([`${file}:`, ...lineDiff(before, textOf()).map((line) => `  ${line}`)].join("\n"))
  if (await isDaemonUp(needs.paths.socket)) needs.output.say("The daemon uses it after `reverie restart`.")
  return changed
}
