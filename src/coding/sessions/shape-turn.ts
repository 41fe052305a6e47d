import { quoteHiddenLines, stripInvisible } from "../../base/text/invisible.ts"
import type { Config } from "../../config/schema.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { NewTurn, Turn } from "../../sessions/turn.ts"
import { isReverieTool, withoutInjected } from "./own-text.ts"
import type { RawTurn } from "./session-source.ts"

/** The longest turns, in characters. */
const longest = { message: 16_000, tool: 2000 }
/** How many times that length is screened before a turn is shortened, and how many times is searched for injected text. */
const screenedFactor = 4
const searchedFactor = 32

/** Tools that return a subagent's report, which neither the user nor the agent wrote. */
const subagentTool = /^(?:agent|task|subagent|spawn_agent|wait_agent)$/i

/** Prepares a turn for storage: screened, shortened and without injected text. Undefined if it is refused or empty. */
export async function shapeTurn(
  needs: {
    screen: Screen
    /** The top folder of the session's project. */
    root: string | null
    privacy: Config["privacy"]
  },
  raw: RawTurn,
): Promise<NewTurn | undefined> {
  if (raw.role === "tool" && isSkipped(raw)) return undefined
  const length = raw.role === "tool" ? longest.tool : longest.message
  const searched = shortenMiddle(fullText(raw), length * searchedFactor)
  const rest = shortenMiddle(withoutInjected(storable(searched, raw.role)), length * screenedFactor).trim()
  if (rest === "") return undefined
  const files = raw.role === "tool" ? raw.files : undefined
  const screened = await needs.screen.check(rest, { projectRoot: needs.root, files, policy: needs.privacy })
  if (screened.outcome === "refused") return undefined
  const { key, role, at } = raw
  const { redactSync } = needs.screen
  return { key, role, at, text: shortenMiddle(screened.text, length), ...aboutTool(raw, redactSync) }
}

/** Whether a tool's output is our own or a subagent's. */
function isSkipped({ tool = "", command }: RawTurn): boolean {
  return isReverieTool(tool, command) || subagentTool.test(tool)
}

function fullText({ role, command, text }: RawTurn): string {
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

/** The text without characters that PostgreSQL cannot store, and without invisible ones. */
function storable(text: string, role: RawTurn["role"]): string {
  const whole = text.replaceAll("\u0000", "").toWellFormed()
  return role === "user" ? quoteHiddenLines(whole) : stripInvisible(whole)
}

/** The beginning and the end of a long text, where the question and the outcome usually are. */
function shortenMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const head = Math.floor(length * 0.7)
  const tail = length - head
  const middle = `\n[${text.length - length} characters left out]\n`
  return (text.slice(0, head) + middle + text.slice(-tail)).toWellFormed()
}
