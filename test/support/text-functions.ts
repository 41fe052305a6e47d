import { columnsOf, fitColumns } from "../../src/base/columns.ts"
import { elementRemover } from "../../src/base/elements.ts"
import { parseJson } from "../../src/base/json.ts"
import { shorten, visible, withoutPassword } from "../../src/base/text.ts"
import { quoteHidden, withoutUnseen } from "../../src/base/unseen.ts"
import { isOurTool, withoutInjected } from "../../src/coding/own-text.ts"
import { readCodexOutput } from "../../src/coding/sources/codex-output.ts"
import { describeCall } from "../../src/coding/tool-call.ts"
import { readClaims } from "../../src/coding/verify/read-claims.ts"
import { configSchema } from "../../src/config/schema.ts"
import { parseToml } from "../../src/config/toml.ts"
import { tellingWords } from "../../src/memory/clusters/words.ts"
import { relate } from "../../src/memory/contradiction/relate.ts"
import { exactThings } from "../../src/memory/exact-things.ts"
import { checkNote } from "../../src/memory/extraction/check-notes.ts"
import { isBorneOutBy } from "../../src/memory/extraction/evidence.ts"
import { readingText } from "../../src/memory/extraction/prompts.ts"
import { basisOf } from "../../src/memory/extraction/rests-on.ts"
import { kindOf } from "../../src/memory/extraction/rules/kind-of.ts"
import { readTurns } from "../../src/memory/extraction/rules/read-turns.ts"
import { sentencesOf } from "../../src/memory/extraction/rules/sentences.ts"
import { triggersOf } from "../../src/memory/extraction/rules/trigger-words.ts"
import { fetchesAndRuns } from "../../src/memory/fetch-and-run.ts"
import { readMarkdown, readOwnMarkdown } from "../../src/memory/foreign/markdown.ts"
import { readMcp } from "../../src/memory/foreign/mcp.ts"
import { readMem0 } from "../../src/memory/foreign/mem0.ts"
import { wordingOf } from "../../src/memory/kin.ts"
import { cleanTags, cleanText, contentKey, isReadable } from "../../src/memory/memory.ts"
import { ownWords } from "../../src/memory/own-words/own-words.ts"
import { isPlainlySaid } from "../../src/memory/own-words/plainly-said.ts"
import { isSteering } from "../../src/memory/own-words/steering.ts"
import { parseIgnoreList } from "../../src/memory/privacy/ignore-rules.ts"
import { openScreen } from "../../src/memory/privacy/screen.ts"
import { isFenced, neutralised, stripFenced } from "../../src/memory/recall/fence.ts"
import { focusOn, focusOnError, focusOnWork } from "../../src/memory/recall/focus.ts"
import { noteWork, nothingUnread } from "../../src/memory/recall/occasion.ts"
import { asks, isTopicChange, saysChange } from "../../src/memory/recall/topic.ts"
import { readAsked } from "../../src/memory/retrieval/asked.ts"
import { timeCues } from "../../src/memory/retrieval/time-cues.ts"
import { occursIn } from "../../src/memory/retrieval/triggers.ts"
import { rewordingProblem } from "../../src/memory/rewording.ts"
import { termsOf } from "../../src/memory/terms.ts"
import type { Turn } from "../../src/memory/turn.ts"
import { wordsIn } from "../../src/storage/search.ts"
import { createManualClock } from "./manual-clock.ts"

const user = (text: string): Turn => ({ position: 1, role: "user", at: 0, text })
const agent = (text: string): Turn => ({ position: 0, role: "assistant", at: 0, text })
const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)
const plain = (text: string) => text
const lines = (text: string) => text.split("\n")

/** Every function that reads text from outside, each as a function of that text alone. */
export const textFunctions: Record<string, (text: string) => unknown> = {
  visible,
  shorten: (text) => shorten(text, 100),
  withoutPassword,
  cleanText,
  cleanTags: (text) => cleanTags([text]),
  isReadable,
  wordsIn,
  termsOf,
  elementRemover: elementRemover(["system-reminder", "ide_selection", "hook_context"]),
  withoutUnseen,
  withoutInjected,
  isOurTool: (text) => isOurTool(text, text),
  describeCall: (text) => describeCall("sh", { command: text, patch: text }, plain),
  describePatch: (text) => describeCall("apply_patch", text, plain),
  readCodexOutput,
  stripFenced,
  isFenced,
  neutralised,
  focusOn: (text) => focusOn(text, [text]).join("\n"),
  focusOnWork: (text) => focusOnWork(text, text),
  focusOnError,
  noteWork: (text) => noteWork(nothingUnread, { kind: "output", text }, 1000),
  isTopicChange: (text) => isTopicChange({ texts: [text], vectors: [], wasAsked: true }, text, undefined),
  saysChange,
  asks,
  readAsked: (text) => readAsked(text, 1),
  timeCues: (text) => timeCues(text, 1),
  occursIn: (text) => occursIn("push*main", text),
  ownWords,
  sentencesOf,
  readTurns: (text) => readTurns([agent(text), user(text)]),
  readConfirmed: (text) => readTurns([agent(text), user("yes, exactly")]),
  triggersOf,
  isBorneOutBy: (text) => isBorneOutBy("We use pnpm here.", [user(text)]),
  checkNote: (text) =>
    checkNote({ content: text, type: "fact", turns: [1] }, { turns: [user(text)], from: 0, gaps: [] }),
  readingText: (text) => readingText([user(text)], 0, [{ id: "g", question: text }], 3),
  relate: (text) => relate(text, `${text} not`),
  readMarkdown: (text) => readMarkdown(lines(text), "notes.md", plain),
  readMem0: (text) => readMem0(lines(text), plain),
  readMcp: (text) => readMcp(lines(text), plain),
  readOwnMarkdown: (text) => readOwnMarkdown(lines(text), plain),
  parseJson,
  parseToml,
  parseIgnoreList: (text) => parseIgnoreList(text, "/work", false),
  columnsOf,
  fitColumns: (text) => fitColumns(text, 80),
  quoteHidden,
  isSteering,
  isPlainlySaid,
  fetchesAndRuns: (text) => fetchesAndRuns([text]),
  basisOf: (text) => basisOf("We use pnpm here.", [{ ...agent(text), role: "tool" }, user(text)], 1),
  kindOf,
  exactThings,
  wordingOf,
  tellingWords,
  contentKey,
  rewordingProblem: (text) => rewordingProblem(text, `${text} not`),
  readClaims: (text) => readClaims(text, "/work"),
  redact: screen.redactSync,
}
