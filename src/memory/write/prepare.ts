import { UserError } from "../../base/errors.ts"
import type { Config } from "../../config/schema.ts"
import { splitText } from "../../language/split-text.ts"
import { cleanTags, cleanText, isReadable, type ParsedMemory, unreadableReason } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { type ProjectIdentity, projectConfig, rootsOf } from "../model/project.ts"
import { screenMemory } from "../model/screen-memory.ts"
import { requireMemory } from "../model/store/browse.ts"
import type { ClusterCache } from "../topics/clusters/join-clusters.ts"
import { fetchesAndRuns } from "./fetch-and-run.ts"
import { screenProject } from "./screen-project.ts"

/** What writing memories needs beyond `MemoryCore`. */
export interface MemoryWriteCore extends MemoryCore {
  clusters?: ClusterCache | undefined
}

/** A memory that passed every check and only needs to be compared and written. */
export interface ReadyMemory {
  input: ParsedMemory
  content: string
  tags: string[]
  project: ProjectIdentity | undefined
  /** The kinds of secrets and personal data that were removed. */
  removed: string[]
  /** Why it waits for the user's confirmation, as one sentence; undefined if it does not. */
  waitReason?: string | undefined
  /** Its number among the parts of a longer text; `first` is undefined for the first part. */
  part?: { number: number; of: number; first: ReadyMemory | undefined }
  /** The memories it was derived from. */
  derivedFrom: string[]
}

export interface Refused {
  outcome: "refused"
  reason: string
}

/** A long text becomes at most this many parts. */
const mostParts = 50

/** Checks privacy, limits and the main switch. A text that is too long for one memory is refused. */
export async function prepareMemory(
  needs: MemoryWriteCore,
  memory: ParsedMemory,
): Promise<ReadyMemory | Refused> {
  const ready = await prepareText(needs, memory, 1)
  return "outcome" in ready ? ready : ready.whole
}

/** The same for a text of any length: a long one becomes several memories, which are saved verbatim. */
export async function prepareParts(
  needs: MemoryWriteCore,
  memory: ParsedMemory,
): Promise<ReadyMemory[] | Refused> {
  const ready = await prepareText(needs, memory, mostParts)
  if ("outcome" in ready) return ready
  const { whole, longest } = ready
  const texts = splitText(whole.content, longest)
  if (texts.length <= 1) return [whole]
  const parts: ReadyMemory[] = []
  for (const [index, content] of texts.entries()) {
    const input = { ...whole.input, content, verbatim: true }
    parts.push({ ...whole, input, content, part: { number: index + 1, of: texts.length, first: parts[0] } })
  }
  return parts
}

/** A checked text, and the longest text of one memory. */
async function prepareText(
  needs: MemoryWriteCore,
  memory: ParsedMemory,
  parts: number,
): Promise<{ whole: ReadyMemory; longest: number } | Refused> {
  requireScope(memory)
  const from = [memory.from ?? []].flat()
  const config = await configFor(needs, [memory.project, ...from])
  const content = cleanText(memory.content)
  const problem = textProblem(content, config, parts)
  if (problem !== undefined) return { outcome: "refused", reason: problem }
  const inName = new Set<string>()
  const sourceRoots = await rootsOf(needs, from)
  const project =
    memory.project === undefined
      ? undefined
      : await screenProject(needs, memory.project, config, inName, sourceRoots)
  const context = { projectRoot: project?.root ?? null, sourceRoots }
  const screened = await screenMemory(needs.screen, { ...memory, content }, config, context)
  if (screened.outcome === "refused") return screened
  const input = withKnownTime(screened.memory, needs.clock.now())
  const removed = [...new Set([...inName, ...screened.removed])].sort()
  const derivedFrom: string[] = []
  for (const id of memory.derivedFrom ?? []) derivedFrom.push((await requireMemory(needs.db, id)).id)
  const ready = {
    content: cleanText(input.content),
    tags: cleanTags(input.tags),
    project,
    removed,
    derivedFrom,
  }
  const whole = fetchesAndRuns(commandsIn(input))
    ? { input: { ...input, quarantined: true }, ...ready, waitReason: fetchAndRunNotice }
    : { input, ...ready }
  return { whole, longest: config.memory.longest_text }
}

export const fetchAndRunNotice =
  "It says to download something and run it, so search does not find it until you confirm it (`reverie memory restore ID`)."

/** The texts of a memory that an agent may act on. */
function commandsIn({ content, steps = [], prerequisites = [], warnings = [] }: ParsedMemory): string[] {
  return [content, ...prerequisites, ...steps, ...warnings]
}

/** Why a text cannot be saved in this many parts; undefined if it can. */
export function textProblem(content: string, { memory }: Config, parts: number): string | undefined {
  if (content === "") return "there is no text in it"
  if (!isReadable(content)) return unreadableReason
  if (!memory.enabled) return "memory is switched off (memory.enabled in the configuration)"
  return Array.from(content).length > memory.longest_text * parts
    ? tooLong(memory.longest_text, parts)
    : undefined
}

function tooLong(longest: number, parts: number): string {
  const limit = `memory.longest_text allows (${longest} characters)`
  return parts === 1 ? `it is longer than ${limit}` : `it is longer than ${parts} parts of what ${limit}`
}

/** Clocks may differ by this much. */
const dayMs = 86_400_000

/** Whether a time is in the future: such a memory would rank first for ever, so its time counts as unknown. */
export function isInFuture(time: number, now: number): boolean {
  return time > now + dayMs
}

function withKnownTime(memory: ParsedMemory, now: number): ParsedMemory {
  const { createdAt, ...rest } = memory
  return createdAt !== undefined && isInFuture(createdAt, now) ? rest : memory
}

function requireScope({ scope, sessionId, project }: ParsedMemory): void {
  if (scope === "session" && sessionId === undefined) {
    throw new UserError("usage", "A memory of session scope needs the session it belongs to; give --session.")
  }
  if (scope === "project" && project === undefined) {
    throw new UserError("usage", "A memory of project scope needs its project; give project.")
  }
}

/** The configuration, tightened by each of these projects. */
export async function configFor(
  needs: Pick<MemoryWriteCore, "config" | "projects">,
  folders: readonly (string | undefined)[],
): Promise<Config> {
  let config = needs.config
  for (const folder of folders) {
    if (folder !== undefined) config = await projectConfig(config, await needs.projects.find(folder))
  }
  return config
}
