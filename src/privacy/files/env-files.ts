import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { parseEnv } from "node:util"
import type { Clock } from "../../base/clock.ts"
import { readWithin } from "../../base/files/read-bounded.ts"
import type { Finding } from "../finding.ts"
import { isOrdinary, looksRandom } from "../values/placeholders.ts"

/** The secret values of projects' .env files. They are compared with texts and never leave this module. */
export interface EnvFiles {
  /** Reads the files of a project that a text comes from, at most once a second. */
  refresh(root: string): Promise<void>
  /** Reads the files of other projects, at most every 30 seconds. */
  learn(roots: readonly string[]): Promise<void>
  /**
   * Finds all values of these projects, and of other projects the values that can only be secrets. Without roots: all
   * values of every project that was refreshed.
   */
  find(text: string, roots?: readonly string[]): Finding[]
}

interface KnownFile {
  version: string
  values: EnvValue[]
}

interface EnvValue {
  text: string
  /** It can only be a secret, also in texts of other projects. */
  isEvident: boolean
}

interface KnownFolder {
  readAt: number
  files: Map<string, KnownFile>
  values: string[]
  evident: string[]
  /** Whether it was refreshed, and not only learned. */
  isRefreshed: boolean
}

const refreshMs = 1000
const learnMs = 30_000
const mostFolders = 200
const mostFiles = 20
const longestFileBytes = 262_144
const mostValues = 1000
const isEnvFile = /^\.env(?:\..+)?$/
const isTemplate = /\.(?:example|sample|template|dist|defaults?|schema|vault)$/i

/** Whether a file of this name holds real environment values, and is not a template. */
export function holdsEnvironment(name: string): boolean {
  return isEnvFile.test(name) && !isTemplate.test(name)
}

/** Opens the reader of .env files. */
export function openEnvFiles({ clock }: { clock: Clock }): EnvFiles {
  const folders = new Map<string, KnownFolder>()
  const reading = new Map<string, Promise<void>>()

  async function read(root: string): Promise<void> {
    const known = folders.get(root)
    const files = await readFolder(root, known?.files ?? new Map())
    const found = [...files.values()].flatMap((file) => file.values)
    const evident = found.filter(({ isEvident }) => isEvident)
    if (known === undefined && folders.size >= mostFolders) folders.clear()
    folders.set(root, {
      readAt: clock.now(),
      files,
      values: textsOf(found),
      evident: textsOf(evident),
      isRefreshed: folders.get(root)?.isRefreshed ?? false,
    })
  }

  async function readIfOlder(root: string, ms: number): Promise<void> {
    const readAt = folders.get(root)?.readAt
    if (readAt !== undefined && readAt + ms > clock.now()) return
    const now = reading.get(root) ?? read(root).finally(() => reading.delete(root))
    reading.set(root, now)
    await now
  }

  return {
    async refresh(root) {
      await readIfOlder(root, refreshMs)
      const folder = folders.get(root)
      if (folder) folder.isRefreshed = true
    },
    async learn(roots) {
      await Promise.all(roots.map((root) => readIfOlder(root, learnMs)))
    },
    find(text, roots) {
      const found: Finding[] = []
      for (const [root, folder] of folders) {
        const isOwn = roots === undefined ? folder.isRefreshed : roots.includes(root)
        found.push(...occurrences(text, isOwn ? folder.values : folder.evident))
      }
      return found
    },
  }
}

function textsOf(values: readonly EnvValue[]): string[] {
  return [...new Set(values.map(({ text }) => text))].slice(0, mostValues)
}

/** The .env files of a folder; unchanged ones are not read again. */
async function readFolder(root: string, before: Map<string, KnownFile>): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>()
  for (const name of await namesIn(root)) {
    const found = await stat(join(root, name)).catch(() => undefined)
    // Nobody could have quoted from something that is not a readable file.
    if (!found?.isFile()) continue
    const version = `${found.mtimeMs} ${found.size} ${found.ino}`
    const known = before.get(name)
    const read =
      known?.version === version ? undefined : await readWithin(root, name, { mostBytes: longestFileBytes })
    if (known && read === undefined) files.set(name, known)
    else if (read?.outcome === "read") files.set(name, { version, values: valuesOf(read.text) })
  }
  return files
}

async function namesIn(root: string): Promise<string[]> {
  try {
    return (await readdir(root)).filter(holdsEnvironment).sort().slice(0, mostFiles)
  } catch {
    return []
  }
}

/** Names whose values are not secret, and names whose values always are. */
const harmlessName =
  /^(?:(?:NODE_|APP_|RAILS_|FLASK_)?ENV(?:IRONMENT)?|TZ|LANG|LC_\w+|DEBUG|MODE|CI|SHELL|TERM|HOME|PATH|EDITOR)$|(?:^|_)(?:HOST|HOSTNAME|PORT|NAME|REGION|ZONE|LEVEL|PATH|DIR|FOLDER|FILE|VERSION|MODEL|BUCKET|TIMEOUT|LOCALE|LANGUAGE|DOMAIN|ORIGIN|ORIGINS|ENDPOINT|SCHEMA|DIALECT|DRIVER|USER|USERNAME|THEME|FORMAT|TITLE|DESCRIPTION|ENABLED|DISABLED)$/i
const secretName = /KEY|SECRET|TOKEN|PASS|PWD|AUTH|CRED|DSN|PRIVATE|SALT|SIGN|COOKIE|WEBHOOK|PIN(?:_|$)|CONN/i
const evidentName = /SECRET|TOKEN|PASS|PWD|CRED|SALT|PRIVATE|API_?KEY|(?:^|_)KEY$|(?:URL|URI|DSN)$/i
const commonValue =
  /^(?:true|false|yes|no|on|off|null|none|undefined|enabled|disabled|local(?:host)?|host\.docker\.internal|develop(?:ment|er)?|production|staging|testing|preview|default|debug|info|warn(?:ing)?|error|trace|verbose|silent|postgres(?:ql)?|mysql|sqlite|redis|memory|admin|root|guest|user(?:name)?|password|secret|example|changeme|utf-?8|json|text|http|https|strict|always|never|auto|latest|main|master|public|private|basic|bearer)$/i
const ordinaryValue =
  /^(?:[\d.,:_-]{1,7}|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:[a-z]+:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?(?:\/[\w./-]*)?|https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?|\.{0,2}\/[\w./-]*|v?\d+\.\d+\.\d+)$/i
const placeholder = /^(?:<.*>|\$\{.*\}|x{3,}|\*{3,}|your[-_ ].*)$/i

function valuesOf(text: string): EnvValue[] {
  return Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    secretsIn(name, value ?? "").map((secret) => ({
      text: secret,
      isEvident: isEvidentSecret(name, secret),
    })),
  )
}

/** Whether a value is a secret in any text: not a word or name that other projects may use too. */
function isEvidentSecret(name: string, value: string): boolean {
  if (value.length < 8 || isOrdinary(value)) return false
  return looksRandom(value) || (evidentName.test(name) && /[\d!@#$%^&*?~+=]/.test(value))
}

/** The secrets of one variable: its value, the password inside it, its lines, and their encodings. */
function secretsIn(name: string, untrimmed: string): string[] {
  const value = untrimmed.trim()
  const isSecret = secretName.test(name)
  if (value.length < (isSecret ? 4 : 6) || commonValue.test(value) || placeholder.test(value)) return []
  if (ordinaryValue.test(value) && !(isSecret && /^\d{6,}$/.test(value))) return []
  if (harmlessName.test(name) && !isSecret && !value.includes("://")) return []
  const lines = value.includes("\n") ? value.split(/\s*\n\s*/).filter((line) => line.length >= 16) : []
  return [value, ...passwordIn(value), ...lines].flatMap(encodingsOf)
}

function passwordIn(value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:([^\s@]{4,})@/i.exec(value)?.[1]
  return password === undefined || commonValue.test(password) ? [] : [password, decoded(password)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The value plain, and as JSON, URLs and base64 write it. */
function encodingsOf(value: string): string[] {
  const encodings = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
  return value.length >= 8
    ? [...encodings, Buffer.from(value).toString("base64").replace(/=+$/, "")]
    : encodings
}

/** Finds the values, except inside of longer words. */
function occurrences(text: string, values: readonly string[]): Finding[] {
  const found: Finding[] = []
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      const end = at + value.length
      if (!isInsideWord(text, at) && !isInsideWord(text, end))
        found.push({ kind: "env-value", start: at, end })
    }
  }
  return found
}

/** Whether letters or digits are on both sides of this position. */
function isInsideWord(text: string, at: number): boolean {
  return /^[\p{L}\d]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1))
}
