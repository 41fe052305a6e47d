import type { Finding } from "../../finding.ts"
import { isPlaceholder } from "../../values/placeholders.ts"
import { type Program, programsNamed, type Shape } from "./programs.ts"
import { secretsOf } from "./shapes.ts"
import { commandWords, type Word } from "./words.ts"

const candidates = /(?<![\w.$@-])[A-Za-z0-9][\w+.-]{0,30}(?=[ \t]|\\\r?\n)/g
/** Words of one command that are looked at. */
const mostWords = 60
/** The longest name of a program with its folder. */
const longestName = 40

/** Finds secrets typed on the command lines of programs that take them, however their options are written. */
export function findTyped(text: string): Finding[] {
  const found: Finding[] = []
  let covered = 0
  for (const { 0: name, index } of text.matchAll(candidates)) {
    if (index < covered || programsNamed(name).length === 0) continue
    const words = commandWords(text, index)
    found.push(...secretsOfCommand(words, looksTyped(text, index)))
    const last = words.at(-1)
    covered = last === undefined ? index : last.offsetOf(last.text.length)
  }
  return found
}

/** What is typed to any of the programs on one line: `sudo docker exec db mysql …` names three. */
function secretsOfCommand(words: readonly Word[], isCommand: boolean): Finding[] {
  return words.flatMap(({ text }, index) => {
    const programs = text.length <= longestName ? programsNamed(text) : []
    const rest = words.slice(index + 1, index + 1 + mostWords)
    return programs.flatMap((program) => secretsTyped(program, rest, isCommand))
  })
}

/** Whether a command stands here, and not the name of a program in a sentence. */
function looksTyped(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 60), at)
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return /^\s*$|(?:[`$#>:|;&"'(]|\b(?:sudo|run|exec|env|time|xargs|then|do))\s*$/i.test(line)
}

function secretsTyped(program: Program, words: readonly Word[], isCommand: boolean): Finding[] {
  if (program.needs.length > 0 && !words.some(({ text }) => program.needs.includes(text))) return []
  const { values, plain } = sortWords(program, words)
  return [
    ...values.flatMap(({ word, from, shape, isGlued }) => secretsOf(word, from, shape, isGlued || isCommand)),
    ...program.rows.flatMap((row) => secretInRow(row, plain, isCommand)),
  ]
}

/** The value of an option that takes a secret. */
interface OptionValue {
  word: Word
  /** Where in the word it begins. */
  from: number
  shape: Shape
  /** Whether it stands in the same word as its option. */
  isGlued: boolean
}

/** Sorts the words behind a program's name into values that may be secret and plain arguments. */
function sortWords(program: Program, words: readonly Word[]): { values: OptionValue[]; plain: Word[] } {
  const values: OptionValue[] = []
  const plain: Word[] = []
  let waiting: Shape | undefined
  for (const word of words) {
    if (waiting !== undefined) {
      values.push({ word, from: 0, shape: waiting, isGlued: false })
      waiting = undefined
      continue
    }
    const option = optionOf(program, word.text)
    if (option === undefined) {
      if (isPlain(word.text)) plain.push(word)
      if (isHeaderItem(word.text)) values.push({ word, from: 0, shape: "header", isGlued: true })
    } else if (option.at !== undefined)
      values.push({ word, from: option.at, shape: option.shape, isGlued: true })
    else if (option.shape !== "glued") waiting = option.shape
  }
  return { values, plain }
}

function isPlain(word: string): boolean {
  return word === "-" || !word.startsWith("-")
}

interface Option {
  shape: Shape
  /** Where the value begins inside the same word; undefined if the next word is the value. */
  at: number | undefined
}

const tellingOption =
  /^--?(?:[\w.-]*[-_.])?(?:pass|passwd|password|passphrase|pwd|secret|token|pat|(?:api|auth|access|secret|private|account|shared|sas|license)[-_]?(?:key|token|secret)|bearer|credentials?|creds|tlspassword|oauth2-bearer)\d?$/i

/** The option with a secret value that a word is, or that is the last of a bundle. */
function optionOf({ options, prefixes, takes }: Program, word: string): Option | undefined {
  const exact = options.get(word)
  if (exact !== undefined) return { shape: exact, at: undefined }
  const prefix = prefixes.find((one) => word.startsWith(one))
  if (prefix !== undefined) return { shape: "password", at: prefix.length }
  const equals = word.indexOf("=")
  const name = equals < 0 ? word : word.slice(0, equals)
  const shape = options.get(name) ?? (tellingOption.test(name) ? "password" : undefined)
  if (shape !== undefined) return { shape, at: equals < 0 ? undefined : equals + 1 }
  return /^-[A-Za-z0-9]/.test(word) ? inBundle(options, takes, word) : undefined
}

/** `-sSuuser:pw` is -s, -S and -u with its value; a letter that takes another value ends the bundle. */
function inBundle(options: Program["options"], takes: string, word: string): Option | undefined {
  for (let index = 1; index < word.length; index += 1) {
    const letters = [2, 1].find((length) => options.has(`-${word.slice(index, index + length)}`)) ?? 0
    const shape = letters === 0 ? undefined : options.get(`-${word.slice(index, index + letters)}`)
    if (shape !== undefined) {
      const at = index + letters + (word.charAt(index + letters) === "=" ? 1 : 0)
      return { shape, at: at < word.length ? at : undefined }
    }
    if (takes.includes(word.charAt(index)) || !/[A-Za-z0-9]/.test(word.charAt(index))) return undefined
  }
  return undefined
}

const headerItem =
  /^(?:authorization|proxy-authorization|cookie|[\w-]*(?:api-?key|apikey|token|secret|auth(?:-key)?|signature|session(?:-id)?|private-key)):(?!\/\/)./i

/** A header as HTTPie takes them, without an option: `X-API-Key:…`. */
function isHeaderItem(word: string): boolean {
  return headerItem.test(word)
}

/** Whether the arguments begin with these words, and which is the secret behind them. */
function secretInRow(row: readonly string[], plain: readonly Word[], isCommand: boolean): Finding[] {
  if (row[0] === "slash") {
    const [first] = plain
    return first === undefined ? [] : secretsOf(first, 0, "slash", true)
  }
  if (plain.length < row.length) return []
  const fits = row.every((pattern, index) => fitsPattern(pattern, plain[index]?.text ?? ""))
  const secret = plain[row.length - 1]
  if (!fits || secret === undefined) return []
  const shape = /header/.test(row.join(" ")) ? "header" : "password"
  return isPlaceholder(secret.text)
    ? []
    : secretsOf(secret, 0, shape, isCommand && plain.length === row.length)
}

const tellingKey = /auth|token|pass|secret|key$|credential/i
const noSecretKey = /file|path|type|helper|store|id$|user|email|method|sign/i

function fitsPattern(pattern: string, word: string): boolean {
  if (pattern === "?" || pattern === "*") return true
  if (pattern === "*key")
    return tellingKey.test(word) && (!noSecretKey.test(word) || /_?auth(?:token)?$/i.test(word))
  if (pattern.includes("*")) return new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "i").test(word)
  return pattern === word.toLowerCase()
}
