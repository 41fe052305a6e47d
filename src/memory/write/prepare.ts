import { UserError } from "../../base/errors.ts"
import type { Config } from "../../config/schema.ts"
import { splitText } from "../../language/split-text.ts"
import { type CheckedMemory, cleanTags, cleanText, isReadable, unreadable } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { type ProjectIdentity, projectConfig, rootsOf } from "../model/project.ts"
import { screenMemory } from "../model/screen-memory.ts"
import { requireMemory } from "../model/store/browse.ts"
import type { ClusterCache } from "../topics/clusters/join-clusters.ts"
import { fetchesAndRuns } from "./fetch-and-run.ts"
import { screenProject } from "./screen-project.ts"

/** What writing memories needs. */
export interface RememberNeeds extends MemoryCore {
  clusters?: ClusterCache | undefined
}

/** A memory that passed every check and only needs to be compared and written. */
export interface ReadyMemory {
  given: CheckedMemory
  content: string
  tags: string[]
  project: ProjectIdentity | undefined
  /** The kinds of what privacy took out of it. */
  removed: string[]
  /** Why it waits for a person's word whoever said it, in one sentence; undefined where it need not. */
  waits?: string | undefined
  /** Which part of a longer text it is; `first` is the first one, which has none itself. */
  part?: { number: number; of: number; first: ReadyMemory | undefined }
  /** The memories it was concluded from. */
  derivedFrom: string[]
}

/** Why a text is not remembered. */
export interface Refused {
  outcome: "refused"
  reason: string
}

/** A text in so many parts at most. */
const mostParts = 50

/** Everything that refuses: privacy, limits, the main switch. A text that is too long for one memory is refused. */
export async function prepareMemory(
  needs: RememberNeeds,
  memory: CheckedMemory,
): Promise<ReadyMemory | Refused> {
  const ready = await prepareText(needs, memory, 1)
  return "outcome" in ready ? ready : ready.whole
}

/**
 * The same for a text of any length: one that is too long for one memory becomes several. They are kept as they are, since
 * no part is a statement that could repeat or oppose another.
 */
export async function prepareParts(
  needs: RememberNeeds,
  memory: CheckedMemory,
): Promise<ReadyMemory[] | Refused> {
  const ready = await prepareText(needs, memory, mostParts)
  if ("outcome" in ready) return ready
  const { whole, longest } = ready
  const texts = splitText(whole.content, longest)
  if (texts.length <= 1) return [whole]
  const parts: ReadyMemory[] = []
  for (const [index, content] of texts.entries()) {
    const given = { ...whole.given, content, verbatim: true }
    parts.push({ ...whole, given, content, part: { number: index + 1, of: texts.length, first: parts[0] } })
  }
  return parts
}

/** A text that may be kept, in one or more memories of this length. */
async function prepareText(
  needs: RememberNeeds,
  memory: CheckedMemory,
  parts: number,
): Promise<{ whole: ReadyMemory; longest: number } | Refused> {
  requireScope(memory)
  const from = [memory.from ?? []].flat()
  const config = await configFor(needs, [memory.project, ...from])
  const content = cleanText(memory.content)
  const problem = textProblem(content, config, parts)
  if (problem !== undefined) return { outcome: "refused", reason: problem }
  const inName = new Set<string>()
  const saidIn = await rootsOf(needs, from)
  const project =
    memory.project === undefined
      ? undefined
      : await screenProject(needs, memory.project, config, inName, saidIn)
  const context = { projectRoot: project?.root ?? null, saidIn }
  const screened = await screenMemory(needs.screen, { ...memory, content }, config, context)
  if (screened.outcome === "refused") return screened
  const given = withKnownTime(screened.memory, needs.clock.now())
  const removed = [...new Set([...inName, ...screened.removed])].sort()
  const derivedFrom: string[] = []
  for (const id of memory.derivedFrom ?? []) derivedFrom.push((await requireMemory(needs.db, id)).id)
  const ready = {
    content: cleanText(given.content),
    tags: cleanTags(given.tags),
    project,
    removed,
    derivedFrom,
  }
  const whole = fetchesAndRuns(commandsIn(given))
    ? { given: { ...given, quarantined: true }, ...ready, waits: whyItWaits }
    : { given, ...ready }
  return { whole, longest: config.memory.longest_text }
}

/** What is said of a text that waits for a person. */
export const whyItWaits =
  "It tells to fetch something and run it, so nothing finds it before you confirm it (`reverie memory restore ID`)."

/** The texts of a memory that an agent may act on. */
function commandsIn({ content, steps = [], prerequisites = [], warnings = [] }: CheckedMemory): string[] {
  return [content, ...prerequisites, ...steps, ...warnings]
}

/** Why a text may not be kept in so many parts, whatever privacy says of it; undefined if it may. */
export function textProblem(content: string, { memory }: Config, parts: number): string | undefined {
  if (content === "") return "there is no text in it"
  if (!isReadable(content)) return unreadable
  if (!memory.enabled) return "memory is switched off (memory.enabled in the configuration)"
  return Array.from(content).length > memory.longest_text * parts
    ? tooLong(memory.longest_text, parts)
    : undefined
}

function tooLong(longest: number, parts: number): string {
  const limit = `memory.longest_text allows (${longest} characters)`
  return parts === 1 ? `it is longer than ${limit}` : `it is longer than ${parts} parts of what ${limit}`
}

/** Clocks may differ by so much. */
const dayMs = 86_400_000

/** Whether a memory's time is yet to come: that would put it above all others for ever, so it counts as not known. */
export function isYetToCome(time: number, now: number): boolean {
  return time > now + dayMs
}

function withKnownTime(memory: CheckedMemory, now: number): CheckedMemory {
  const { createdAt, ...rest } = memory
  return createdAt !== undefined && isYetToCome(createdAt, now) ? rest : memory
}

function requireScope({ scope, sessionId, project }: CheckedMemory): void {
  if (scope === "session" && sessionId === undefined) {
    throw new UserError("usage", "A memory of session scope needs the session it belongs to; give --session.")
  }
  if (scope === "project" && project === undefined) {
    throw new UserError("usage", "A memory of project scope needs its project; give --project DIR.")
  }
}

/** The configuration as all of these projects tighten it. */
export async function configFor(
  needs: Pick<RememberNeeds, "config" | "projects">,
  folders: readonly (string | undefined)[],
): Promise<Config> {
  let config = needs.config
  for (const folder of folders) {
    if (folder !== undefined) config = await projectConfig(config, await needs.projects.find(folder))
  }
  return config
}
