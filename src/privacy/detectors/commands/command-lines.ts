import type { Finding } from "../../finding.ts"
import { isPlaceholder } from "../../values/placeholders.ts"
import { secretInValue } from "./option-values.ts"
import { type Program, programsNamed, type ValueFormat } from "./programs.ts"
import { type ShellWord, shellWords } from "./shell-words.ts"

const candidates = /(?<![\w.$@-])[A-Za-z0-9][\w+.-]{0,30}(?=[ \t]|\\\r?\n)/g
/** The maximum number of words of one command that are checked. */
const mostWords = 60
/** The maximum length of a program's name with its folder. */
const longestName = 40

/** Finds secrets on the command lines of known programs, in any form of their options. */
export function findInCommandLines(text: string): Finding[] {
  const found: Finding[] = []
  let covered = 0
  for (const { 0: name, index } of text.matchAll(candidates)) {
    if (index < covered || programsNamed(name).length === 0) continue
    const words = shellWords(text, index)
    found.push(...secretsOfCommand(words, looksLikeCommand(text, index)))
    const last = words.at(-1)
    covered = last === undefined ? index : last.offsetOf(last.text.length)
  }
  return found
}

/** The secrets for all programs on one line: `sudo docker exec db mysql …` names three. */
function secretsOfCommand(words: readonly ShellWord[], isCommand: boolean): Finding[] {
  return words.flatMap(({ text }, index) => {
    const programs = text.length <= longestName ? programsNamed(text) : []
    const rest = words.slice(index + 1, index + 1 + mostWords)
    return programs.flatMap((program) => secretsForProgram(program, rest, isCommand))
  })
}

/** Whether this is a command, and not the name of a program in a sentence. */
function looksLikeCommand(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 60), at)
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return /^\s*$|(?:[`$#>:|;&"'(]|\b(?:sudo|run|exec|env|time|xargs|then|do))\s*$/i.test(line)
}

function secretsForProgram(program: Program, words: readonly ShellWord[], isCommand: boolean): Finding[] {
  if (program.requires.length > 0 && !words.some(({ text }) => program.requires.includes(text))) return []
  const { values, plain } = sortWords(program, words)
  return [
    ...values.flatMap(({ word, from, shape, isGlued }) =>
      secretInValue(word, from, shape, isGlued || isCommand),
    ),
    ...program.positions.flatMap((row) => secretAtPosition(row, plain, isCommand)),
  ]
}

/** The value of an option that takes a secret. */
interface OptionValue {
  word: ShellWord
  /** Where it begins in the word. */
  from: number
  shape: ValueFormat
  /** Whether it is in the same word as its option. */
  isGlued: boolean
}

/** Splits a program's arguments into values of secret options and plain arguments. */
function sortWords(
  program: Program,
  words: readonly ShellWord[],
): { values: OptionValue[]; plain: ShellWord[] } {
  const values: OptionValue[] = []
  const plain: ShellWord[] = []
  let waiting: ValueFormat | undefined
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
  shape: ValueFormat
  /** Where the value begins inside the same word; undefined if the next word is the value. */
  at: number | undefined
}

const secretOption =
  /^--?(?:[\w.-]*[-_.])?(?:pass|passwd|password|passphrase|pwd|secret|token|pat|(?:api|auth|access|secret|private|account|shared|sas|license)[-_]?(?:key|token|secret)|bearer|credentials?|creds|tlspassword|oauth2-bearer)\d?$/i

/** The secret option in a word: the word itself, or the last of a bundle. */
function optionOf(
  { secretOptions: options, secretPrefixes: prefixes, valueOptions: takes }: Program,
  word: string,
): Option | undefined {
  const exact = options.get(word)
  if (exact !== undefined) return { shape: exact, at: undefined }
  const prefix = prefixes.find((one) => word.startsWith(one))
  if (prefix !== undefined) return { shape: "password", at: prefix.length }
  const equals = word.indexOf("=")
  const name = equals < 0 ? word : word.slice(0, equals)
  const shape = options.get(name) ?? (secretOption.test(name) ? "password" : undefined)
  if (shape !== undefined) return { shape, at: equals < 0 ? undefined : equals + 1 }
  return /^-[A-Za-z0-9]/.test(word) ? inBundle(options, takes, word) : undefined
}

/** `-sSuuser:pw` is -s, -S and -u with its value; an option with another value ends the bundle. */
function inBundle(options: Program["secretOptions"], takes: string, word: string): Option | undefined {
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

/** A header as an HTTPie argument: `X-API-Key:…`. */
function isHeaderItem(word: string): boolean {
  return headerItem.test(word)
}

/** The secret in the last position if the arguments match these patterns. */
function secretAtPosition(
  row: readonly string[],
  plain: readonly ShellWord[],
  isCommand: boolean,
): Finding[] {
  if (row[0] === "slash") {
    const [first] = plain
    return first === undefined ? [] : secretInValue(first, 0, "slash", true)
  }
  if (plain.length < row.length) return []
  const fits = row.every((pattern, index) => fitsPattern(pattern, plain[index]?.text ?? ""))
  const secret = plain[row.length - 1]
  if (!fits || secret === undefined) return []
  const shape = /header/.test(row.join(" ")) ? "header" : "password"
  return isPlaceholder(secret.text)
    ? []
    : secretInValue(secret, 0, shape, isCommand && plain.length === row.length)
}

const secretKey = /auth|token|pass|secret|key$|credential/i
const noSecretKey = /file|path|type|helper|store|id$|user|email|method|sign/i

function fitsPattern(pattern: string, word: string): boolean {
  if (pattern === "?" || pattern === "*") return true
  if (pattern === "*key")
    return secretKey.test(word) && (!noSecretKey.test(word) || /_?auth(?:token)?$/i.test(word))
  if (pattern.includes("*")) return new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "i").test(word)
  return pattern === word.toLowerCase()
}
