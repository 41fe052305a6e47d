import { UserError } from "../base/errors.ts"
import { unknownKey } from "./edit.ts"
import { keyInfo } from "./load.ts"
import { type Config, configSchema } from "./schema.ts"

/** The configuration with a program's settings, by table and key, which override the file. */
export function withSettings(config: Config, settings: Record<string, Record<string, unknown>> = {}): Config {
  const tables = new Set([...Object.keys(config), ...Object.keys(settings)])
  const merged = [...tables].map((table) => [table, { ...config[table as keyof Config], ...settings[table] }])
  const parsed = configSchema.safeParse(Object.fromEntries(merged))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.join(".") ?? ""
  if (issue?.code === "unrecognized_keys") throw unknownKey([...issue.path, ...issue.keys].join("."))
  throw new UserError("config", `The setting ${name} must be ${keyInfo(name)?.expects ?? "a table"}.`)
}
