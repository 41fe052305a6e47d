import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { parseEnv } from "node:util"
import type { Clock } from "../../base/clock.ts"
import { readWithin } from "../../base/files/read-bounded.ts"
import type { Finding } from "../finding.ts"
import { isOrdinary, looksRandom } from "../values/placeholders.ts"

/** The secret values of projects' .env files. What they are is never told to anyone. */
export interface EnvFiles {
  /** Brings what is known of this project up to date; its folder is looked at again after a second. */
  refresh(root: string): Promise<void>
  /** The same for projects that a text does not come from: they are looked at again after half a minute. */
  learn(roots: readonly string[]): Promise<void>
  /**
   * Where values of these projects' files stand in a text, and those of any other that can hardly be anything but a
   * secret. Without roots, where values of all projects that texts came from stand.
   */
  find(text: string, roots?: readonly string[]): Finding[]
}

interface KnownFile {
  version: string
  values: EnvValue[]
}

interface EnvValue {
  text: string
  /** It can hardly be anything but a secret, also where another project is spoken of. */
  isPlain: boolean
}

interface KnownFolder {
  readAt: number
  files: Map<string, KnownFile>
  values: string[]
  plain: string[]
  /** Whether a text came from there, and not only other texts were compared with it. */
  isSpokenIn: boolean
}

const believedMs = 1000
const othersBelievedMs = 30_000
const mostFolders = 200
const mostFiles = 20
const longestFile = 262_144
const mostValues = 1000
const isEnvFile = /^\.env(?:\..+)?$/
const isTemplate = /\.(?:example|sample|template|dist|defaults?|schema|vault)$/i

/** Whether a file of this name holds an environment with real values. */
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
    const plain = found.filter(({ isPlain }) => isPlain)
    if (known === undefined && folders.size >= mostFolders) folders.clear()
    folders.set(root, {
      readAt: clock.now(),
      files,
      values: textsOf(found),
      plain: textsOf(plain),
      isSpokenIn: folders.get(root)?.isSpokenIn ?? false,
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
      await readIfOlder(root, believedMs)
      const folder = folders.get(root)
      if (folder) folder.isSpokenIn = true
    },
    async learn(roots) {
      await Promise.all(roots.map((root) => readIfOlder(root, othersBelievedMs)))
    },
    find(text, roots) {
      const found: Finding[] = []
      for (const [root, folder] of folders) {
        const isOwn = roots === undefined ? folder.isSpokenIn : roots.includes(root)
        found.push(...occurrences(text, isOwn ? folder.values : folder.plain))
      }
      return found
    },
  }
}

function textsOf(values: readonly EnvValue[]): string[] {
  return [...new Set(values.map(({ text }) => text))].slice(0, mostValues)
}

/** The files of a folder; those that did not change are not read again. */
async function readFolder(root: string, before: Map<string, KnownFile>): Promise<Map<string, KnownFile>> {
  const files = new Map<string, KnownFile>()
  for (const name of await namesIn(root)) {
    const found = await stat(join(root, name)).catch(() => undefined)
    // A file that went away, may not be read or is none has no values anyone could have quoted from it.
    if (!found?.isFile()) continue
    const version = `${found.mtimeMs} ${found.size} ${found.ino}`
    const known = before.get(name)
    const read =
      known?.version === version ? undefined : await readWithin(root, name, { mostBytes: longestFile })
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

/** Names whose values are no secrets, and names whose values always are. */
const harmlessName =
  /^(?:(?:NODE_|APP_|RAILS_|FLASK_)?ENV(?:IRONMENT)?|TZ|LANG|LC_\w+|DEBUG|MODE|CI|SHELL|TERM|HOME|PATH|EDITOR)$|(?:^|_)(?:HOST|HOSTNAME|PORT|NAME|REGION|ZONE|LEVEL|PATH|DIR|FOLDER|FILE|VERSION|MODEL|BUCKET|TIMEOUT|LOCALE|LANGUAGE|DOMAIN|ORIGIN|ORIGINS|ENDPOINT|SCHEMA|DIALECT|DRIVER|USER|USERNAME|THEME|FORMAT|TITLE|DESCRIPTION|ENABLED|DISABLED)$/i
const secretName = /KEY|SECRET|TOKEN|PASS|PWD|AUTH|CRED|DSN|PRIVATE|SALT|SIGN|COOKIE|WEBHOOK|PIN(?:_|$)|CONN/i
const plainName = /SECRET|TOKEN|PASS|PWD|CRED|SALT|PRIVATE|API_?KEY|(?:^|_)KEY$|(?:URL|URI|DSN)$/i
const commonValue =
  /^(?:true|false|yes|no|on|off|null|none|undefined|enabled|disabled|local(?:host)?|host\.docker\.internal|develop(?:ment|er)?|production|staging|testing|preview|default|debug|info|warn(?:ing)?|error|trace|verbose|silent|postgres(?:ql)?|mysql|sqlite|redis|memory|admin|root|guest|user(?:name)?|password|secret|example|changeme|utf-?8|json|text|http|https|strict|always|never|auto|latest|main|master|public|private|basic|bearer)$/i
const ordinaryValue =
  /^(?:[\d.,:_-]{1,7}|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:[a-z]+:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?(?:\/[\w./-]*)?|https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?|\.{0,2}\/[\w./-]*|v?\d+\.\d+\.\d+)$/i
const standIn = /^(?:<.*>|\$\{.*\}|x{3,}|\*{3,}|your[-_ ].*)$/i

function valuesOf(text: string): EnvValue[] {
  return Object.entries(parseEnv(text)).flatMap(([name, value]) =>
    secretsIn(name, value ?? "").map((one) => ({ text: one, isPlain: isPlainSecret(name, one) })),
  )
}

/** Whether a value is one wherever it stands: neither a word nor a name that other projects may speak of too. */
function isPlainSecret(name: string, value: string): boolean {
  if (value.length < 8 || isOrdinary(value)) return false
  return looksRandom(value) || (plainName.test(name) && /[\d!@#$%^&*?~+=]/.test(value))
}

/** What must not be quoted of one line: the value, the password inside it, its lines, and the ways to write it. */
function secretsIn(name: string, given: string): string[] {
  const value = given.trim()
  const isTelling = secretName.test(name)
  if (value.length < (isTelling ? 4 : 6) || commonValue.test(value) || standIn.test(value)) return []
  if (ordinaryValue.test(value) && !(isTelling && /^\d{6,}$/.test(value))) return []
  if (harmlessName.test(name) && !isTelling && !value.includes("://")) return []
  const lines = value.includes("\n") ? value.split(/\s*\n\s*/).filter((line) => line.length >= 16) : []
  return [value, ...passwordIn(value), ...lines].flatMap(waysToWrite)
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

function waysToWrite(value: string): string[] {
  const ways = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
  return value.length >= 8 ? [...ways, Buffer.from(value).toString("base64").replace(/=+$/, "")] : ways
}

/** Where the values stand as a whole, not inside longer words. */
function occurrences(text: string, values: readonly string[]): Finding[] {
  const found: Finding[] = []
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      const end = at + value.length
      if (!joins(text, at) && !joins(text, end)) found.push({ kind: "env-value", start: at, end })
    }
  }
  return found
}

/** Whether a word goes on from one side of this position to the other. */
function joins(text: string, at: number): boolean {
  return /^[\p{L}\d]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1))
}
