import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { actorWord, count, plain, short, sourceWords } from "./words.ts"

/** A journal entry as a sentence, and the words it is about. */
interface EntryWords {
  sentence: string
  /** Such as the text of the memory. */
  about: string | undefined
}

/** Tells a journal entry: kinds are "noun.past-verb", which read as a sentence once the noun has its article. */
export function wordsOf(entry: EntryJson): EntryWords {
  const data = (entry.data ?? {}) as Data
  const special = specials[entry.kind]?.(data)
  const sentence = special ?? `${happened(entry.kind)}${byWords(entry)}`
  return { sentence: `${sentence}.`, about: aboutOf(entry.kind, data) }
}

type Data = Record<string, unknown>

/** Nouns that need more than "a" before them, or another word for people. */
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

/** Past verbs that do without "was". */
const ownVerbs =
  /^(?:came|left|ended|started|stopped|expired|finished|failed|resumed|returned|responded|restarted)$/
/** What follows "was" but is no participle of its own. */
const verbs: Record<string, string> = { done: "carried out", weighed: "weighed anew", used: "used" }

function happened(kind: string): string {
  const [noun = "", verb = ""] = kind.split(".")
  const subject = nouns[noun] ?? `A ${noun.replaceAll("-", " ")}`
  const word = verbs[verb] ?? verb.replaceAll("-", " ")
  if (ownVerbs.test(verb)) return `${subject} ${word}`
  return `${subject} ${plurals.has(noun) ? "were" : "was"} ${word}`
}

function byWords({ actor, kind }: EntryJson): string {
  const [, verb = ""] = kind.split(".")
  return ownVerbs.test(verb) ? "" : ` by ${actorWord(actor)}`
}

/** What is told better in its own way. */
const specials: Record<string, (data: Data) => string> = {
  "recall.surfaced": ({ memories, turn }) =>
    `${count(listOf(memories).length, "memory", "memories")} came up in a session, at prompt ${Number(turn ?? 0)}`,
  "model.called": ({ model, source, input, output, outcome }) =>
    `${String(model ?? "A model")} was asked for ${sourceWords[source as keyof typeof sourceWords] ?? "something"} (${short(Number(input ?? 0))} tokens in, ${short(Number(output ?? 0))} out${outcome === "answered" || outcome === undefined ? "" : `, ${String(outcome)}`})`,
  "permission.requested": ({ action }) => `Permission was asked for: ${wordsIn(action)}`,
  "permission.done": () => "What was approved was carried out",
  "permission.failed": () => "What was approved failed",
  "permission.started": () => "What was approved began to run",
  "permission.answered": () => "A permission request was answered by you",
  "permission.approved": () => "A permission request was approved by you",
  "permission.denied": () => "A permission request was denied by you",
  "permission.expired": () => "A permission request expired; nobody had decided",
  "ambient.scheduled": () => "The next cycle was planned",
  "trigger.noted": ({ kind }) => `Something that may start a cycle was noted: ${wordsIn(kind)}`,
  "ambient.heard": () => "Tending took note of what had happened",
  "config.changed": ({ keys }) => `Settings were changed: ${listOf(keys).map(String).join(", ")}`,
  "tool.allowed": ({ tool }) => `A cycle called ${String(tool)}`,
  "tool.held": ({ tool }) => `A cycle wanted to call ${String(tool)}, which waits for you`,
  "tool.refused": ({ tool }) => `A cycle may not call ${String(tool)}`,
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function wordsIn(value: unknown): string {
  return String(value ?? "something").replaceAll(/[_-]/g, " ")
}

/** The fields that hold words for people, the most telling first. */
const telling = [
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

/** The words of an entry, where there are any. */
function aboutOf(kind: string, data: Data): string | undefined {
  if (kind === "model.called") return undefined
  const image = (data.after ?? data.before ?? {}) as Data
  if (kind.startsWith("edge.")) {
    const end = String(image.target ?? "").replace(/^(?:tag|cluster):/, "")
    return end === "" ? undefined : `${wordsIn(image.kind)} ${end}`
  }
  for (const held of [image, data])
    for (const field of telling) {
      const value = held[field]
      if (typeof value === "string" && value !== "") return plain(value)
    }
  return undefined
}
