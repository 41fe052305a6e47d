import { z } from "zod"
import { logLevels } from "../base/log.ts"
import { expectedValue } from "./expected.ts"
import { isSetting, key, type Tighten, table, tightenings } from "./key.ts"
import { chatSchema } from "./settings/chat/chat.ts"
import { embedding } from "./settings/embedding.ts"
import { extraction, judgement, memory, privacy, recall, sessions } from "./settings/memory.ts"
import { budget, models } from "./settings/models.ts"
import { notifySchema } from "./settings/notify.ts"
import { ambient, safety, work } from "./settings/tending.ts"

function isStorageUrl(url: string): boolean {
  return url === "" || /^(sqlite:.|postgres(ql)?:\/\/.)/.test(url)
}

/** The whole configuration, with all defaults and help texts. */
export const configSchema = z.strictObject({
  storage: table({
    url: key(z.string().refine(isStorageUrl).default(""), {
      help: "Where memories are stored. Empty means the embedded SQLite file in the data folder. A team that shares one memory sets a PostgreSQL URL; the server needs the pgvector extension. `?schema=NAME` selects a schema. REVERIE_DATABASE_URL overrides this setting.",
      expects: "empty, sqlite:PATH or postgres://USER@HOST/DATABASE",
    }),
    snapshot_every_hours: key(z.number().min(0).max(8760).default(24), {
      help: "How often the daemon writes a snapshot of the memory that you can restore. Lower it if you change much in a day; 0 turns automatic snapshots off.",
    }),
    snapshots_kept: key(z.int().min(1).max(1000).default(7), {
      help: "How many snapshots to keep. The oldest is deleted first. Lower it to save disk space.",
    }),
  }),
  api: table({
    http: key(z.boolean().default(true), {
      help: "Whether the daemon also listens on loopback TCP, for the dashboard (`reverie web`) and for tools that cannot use a Unix socket. Every request there needs the installation's token, or a browser session that was signed in with it. Turn it off to accept connections on the Unix socket only.",
    }),
    port: key(z.int().min(0).max(65_535).default(7373), {
      help: "The loopback port. 0 picks any free port. If the port is taken, the daemon picks a free one and reports it. Change it if another program of yours needs this port.",
    }),
  }),
  memory,
  sessions,
  recall,
  embedding,
  privacy,
  judgement,
  extraction,
  models,
  budget,
  ambient,
  safety,
  notify: notifySchema,
  work,
  chat: chatSchema,
  log: table({
    level: key(z.enum(logLevels).default("info"), {
      help: "How much the daemon writes to its log. Set debug to investigate a problem.",
    }),
  }),
})

export type Config = z.infer<typeof configSchema>

/** One key with its metadata, for the reference, `config get` and error messages. */
export interface KeyInfo {
  /** Dotted name, such as storage.url or chat.irc.nick. */
  name: string
  /** The dotted name of its table. */
  table: string
  help: string
  expects: string
  tighten: Tighten | undefined
  fallback: unknown
}

/** Every key, in the order of the schema. */
export function allKeys(): KeyInfo[] {
  return keysOf([], configSchema.shape, configSchema.parse({}))
}

function keysOf(path: readonly string[], shape: Record<string, z.ZodType>, defaults: unknown): KeyInfo[] {
  return Object.entries(shape).flatMap(([own, type]) => {
    const name = [...path, own].join(".")
    if (!isSetting(type)) return keysOf([...path, own], shapeOf(type), defaults)
    return { name, table: path.join("."), ...describe(type, name), fallback: valueAt(defaults, name) }
  })
}

function shapeOf(table: z.ZodType): Record<string, z.ZodType> {
  const inner = table instanceof z.ZodPrefault ? table.unwrap() : table
  return inner instanceof z.ZodObject ? inner.shape : {}
}

function describe(type: z.ZodType, name: string): Pick<KeyInfo, "help" | "expects" | "tighten"> {
  const meta = z.globalRegistry.get(type) ?? {}
  const tighten = tightenings.find((one) => one === meta.tighten)
  const expects = String(meta.expects ?? expectedValue(type, name) ?? "")
  return { help: String(meta.description ?? ""), expects, tighten }
}

/** The value at a dotted name, or undefined. */
export function valueAt(tree: unknown, name: string): unknown {
  let value = tree
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null) return undefined
    value = Object.entries(value).find(([key]) => key === part)?.[1]
  }
  return value
}

/** The JSON Schema that editors use to complete and check config.toml. */
export function jsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: "input" })
  return { $schema, title: "Reverie configuration", ...rest }
}
