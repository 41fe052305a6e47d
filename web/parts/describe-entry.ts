import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { actorName, compact, count, safeText, sourceNames } from "./words.ts"

/** A journal entry as a sentence, and the text it is about. */
interface DescribedEntry {
  sentence: string
  /** Such as the text of the memory. */
  about: string | undefined
}

/** Describes a journal entry. Kinds are "noun.past-verb", which become a sentence with an article before the noun. */
export function describeEntry(entry: EntryJson): DescribedEntry {
  const data = (entry.data ?? {}) as Data
  const special = sentences[entry.kind]?.(data)
  const sentence = special ?? `${happened(entry.kind)}${byWords(entry)}`
  return { sentence: `${sentence}.`, about: aboutOf(entry.kind, data) }
}

type Data = Record<string, unknown>

/** Nouns that need more than "a" before them, or another word. */
const nouns: Record<string, string> = {
  ambient: "Tending",
  approval: "An approval",
  clusters: "Clusters",
  config: "Settings",
  credential: "A credential",
  daemon: "The daemon",
  edge: "A link",
  gap: "An open question",
  gardener: "The gardener",
  import: "An import",
  media: "A picture or sound",
  notice: "A notice",
  operation: "A change",
  permission: "A permission",
  pool: "A provider's limit",
  post: "A post",
  queue: "A queue item",
  recall: "Recall",
  tags: "Tags",
  tool: "A tool's call",
  trust: "Trust",
  turns: "Turns of a session",
  usage: "Usage",
}
const plurals = new Set(["clusters", "config", "tags", "turns"])

/** Past verbs that need no "was". */
const ownVerbs =
  /^(?:came|left|ended|started|stopped|expired|finished|failed|resumed|returned|responded|restarted)$/
/** Verbs that need another text after "was". */
const verbs: Record<string, string> = { done: "carried out", weighed: "given a new weight", used: "used" }

function happened(kind: string): string {
  const [noun = "", verb = ""] = kind.split(".")
  const subject = nouns[noun] ?? `A ${noun.replaceAll("-", " ")}`
  const word = verbs[verb] ?? verb.replaceAll("-", " ")
  if (ownVerbs.test(verb)) return `${subject} ${word}`
  return `${subject} ${plurals.has(noun) ? "were" : "was"} ${word}`
}

function byWords({ actor, kind }: EntryJson): string {
  const [, verb = ""] = kind.split(".")
  return ownVerbs.test(verb) ? "" : ` by ${actorName(actor)}`
}

/** Kinds with their own sentences. */
const sentences: Record<string, (data: Data) => string> = {
  "recall.surfaced": ({ memories, turn }) =>
    `${count(listOf(memories).length, "memory", "memories")} came up in a session, at prompt ${Number(turn ?? 0)}`,
  "model.called": ({ model, source, input, output, outcome }) =>
    `${String(model ?? "A model")} was asked for ${sourceNames[source as keyof typeof sourceNames] ?? "something"} (${compact(Number(input ?? 0))} tokens in, ${compact(Number(output ?? 0))} out${outcome === "answered" || outcome === undefined ? "" : `, ${String(outcome)}`})`,
  "permission.requested": ({ action }) => `Permission was asked for: ${spaced(action)}`,
  "permission.done": () => "What was approved was carried out",
  "permission.failed": () => "What was approved failed",
  "permission.started": () => "What was approved began to run",
  "permission.answered": () => "A permission request was answered by you",
  "permission.approved": () => "A permission request was approved by you",
  "permission.denied": () => "A permission request was denied by you",
  "permission.expired": () => "A permission request expired; nobody had decided",
  "ambient.scheduled": () => "The next cycle was planned",
  "trigger.noted": ({ kind }) => `Something that may start a cycle was noted: ${spaced(kind)}`,
  "ambient.heard": () => "Tending read the latest events",
  "config.changed": ({ keys }) => `Settings were changed: ${listOf(keys).map(String).join(", ")}`,
  "tool.allowed": ({ tool }) => `A cycle called ${String(tool)}`,
  "tool.held": ({ tool }) => `A cycle wanted to call ${String(tool)}, which waits for you`,
  "tool.refused": ({ tool }) => `A cycle may not call ${String(tool)}`,
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function spaced(value: unknown): string {
  return String(value ?? "something").replaceAll(/[_-]/g, " ")
}

/** The fields with readable text, the most informative first. */
const textFields = [
  "content",
  "summary",
  "context",
  "description",
  "question",
  "outcome",
  "text",
  "reason",
  "note",
  "title",
  "subject",
  "path",
  "name",
  "trigger",
]

/** The text an entry is about, if any. */
function aboutOf(kind: string, data: Data): string | undefined {
  if (kind === "model.called") return undefined
  const image = (data.after ?? data.before ?? {}) as Data
  if (kind.startsWith("edge.")) {
    const end = String(image.target ?? "").replace(/^(?:tag|cluster):/, "")
    return end === "" ? undefined : `${spaced(image.kind)} ${end}`
  }
  for (const record of [image, data])
    for (const field of textFields) {
      const value = record[field]
      if (typeof value === "string" && value !== "") return safeText(value)
    }
  return undefined
}
