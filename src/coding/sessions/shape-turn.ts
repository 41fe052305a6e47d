import { quoteHidden, withoutUnseen } from "../../base/text/unseen.ts"
import type { Config } from "../../config/schema.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { NewTurn, Turn } from "../../sessions/turn.ts"
import { isOurTool, withoutInjected } from "./own-text.ts"
import type { RawTurn } from "./session-source.ts"

/** How long a turn may be, and how much of a longer one is looked through before it is shortened. */
const longest = { said: 16_000, tool: 2000 }
const lookedThrough = 4
/** More of it is not even searched for what programs put there. */
const seenFactor = 32

/** What a subagent reports was neither said by the user nor found by the agent itself. */
const subagentTool = /^(?:agent|task|subagent|spawn_agent|wait_agent)$/i

/** Makes a turn fit to be kept: screened, shortened, without anything of ours; undefined where nothing of it may be or nothing is left. */
export async function shapeTurn(
  needs: {
    screen: Screen
    /** The top folder of the session's project. */
    root: string | null
    privacy: Config["privacy"]
  },
  raw: RawTurn,
): Promise<NewTurn | undefined> {
  if (raw.role === "tool" && isNotTheirs(raw)) return undefined
  const length = raw.role === "tool" ? longest.tool : longest.said
  const seen = shortenMiddle(wordsOf(raw), length * seenFactor)
  const rest = shortenMiddle(withoutInjected(storable(seen, raw.role)), length * lookedThrough).trim()
  if (rest === "") return undefined
  const files = raw.role === "tool" ? raw.files : undefined
  const screened = await needs.screen.check(rest, { projectRoot: needs.root, files, policy: needs.privacy })
  if (screened.outcome === "refused") return undefined
  const { key, role, at } = raw
  const { redactSync } = needs.screen
  return { key, role, at, text: shortenMiddle(screened.text, length), ...aboutTool(raw, redactSync) }
}

function isNotTheirs({ tool = "", command }: RawTurn): boolean {
  return isOurTool(tool, command) || subagentTool.test(tool)
}

function wordsOf({ role, command, text }: RawTurn): string {
  return role === "tool" && command !== undefined ? `$ ${command}\n${text}` : text
}

function aboutTool(
  { role, tool, isError, files = [] }: RawTurn,
  redact: Screen["redactSync"],
): Pick<Turn, "tool" | "isError" | "files"> {
  return {
    ...(role === "tool" && tool ? { tool: redact(tool) } : {}),
    ...(role === "tool" && isError ? { isError } : {}),
    ...(files.length > 0 ? { files: files.map(redact) } : {}),
  }
}

/** Without characters that PostgreSQL does not take, and without those that nobody sees. */
function storable(text: string, role: RawTurn["role"]): string {
  const whole = text.replaceAll("\u0000", "").toWellFormed()
  return role === "user" ? quoteHidden(whole) : withoutUnseen(whole)
}

/** The beginning and the end of a long text: what was asked, and how it came out. */
function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const head = Math.floor(length * 0.7)
  const tail = length - head
  const left = text.length - length
  const middle = `\n[${left} characters left out]\n`
  return (text.slice(0, head) + middle + text.slice(-tail)).toWellFormed()
}
