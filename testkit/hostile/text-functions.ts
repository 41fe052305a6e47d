import { columnsOf, fitColumns } from "../../src/base/text/columns.ts"
import { createElementRemover } from "../../src/base/text/elements.ts"
import { escapeTags } from "../../src/base/text/escape-tags.ts"
import { quoteHiddenLines, stripInvisible } from "../../src/base/text/invisible.ts"
import { parseJson } from "../../src/base/text/json.ts"
import { escapeControls, shorten, withoutPassword } from "../../src/base/text/text.ts"
import { isReverieTool, withoutInjected } from "../../src/coding/sessions/own-text.ts"
import { describeCall } from "../../src/coding/sessions/tool-call.ts"
import { readCodexOutput } from "../../src/coding/sources/codex-output.ts"
import { readClaims } from "../../src/coding/verify/claims/read-claims.ts"
import { configSchema } from "../../src/config/schema.ts"
import { parseToml } from "../../src/config/toml.ts"
import { relate } from "../../src/language/compare/relate.ts"
import { exactValues } from "../../src/language/exact-values.ts"
import { sentencesOf } from "../../src/language/read/sentences.ts"
import { triggersOf } from "../../src/language/read/trigger-words.ts"
import { rewordingProblem } from "../../src/language/rewording.ts"
import { termsOf } from "../../src/language/terms.ts"
import { neutralised, stripFenced } from "../../src/llm/fence.ts"
import { checkNote } from "../../src/memory/extract/check-notes.ts"
import { basisOf, isSupportedBy } from "../../src/memory/extract/evidence.ts"
import { inferType } from "../../src/memory/extract/infer-type.ts"
import { isPromptInjection, isUserWording, ownWords } from "../../src/memory/extract/own-words/own-words.ts"
import { readingText } from "../../src/memory/extract/prompts.ts"
import { readTurnsByRules } from "../../src/memory/extract/rules/read-turns.ts"
import { parseQuery } from "../../src/memory/find/query.ts"
import { timeCues } from "../../src/memory/find/time-cues.ts"
import { occursIn } from "../../src/memory/find/triggers.ts"
import { cleanTags, cleanText, contentKey, isReadable } from "../../src/memory/model/memory.ts"
import { comparableText } from "../../src/memory/model/words/comparable-text.ts"
import { topicWords } from "../../src/memory/topics/clustering/words.ts"
import { readMarkdown, readOwnMarkdown } from "../../src/memory/transfer/formats/markdown.ts"
import { readMcp } from "../../src/memory/transfer/formats/mcp.ts"
import { readMem0 } from "../../src/memory/transfer/formats/mem0.ts"
import { fetchesAndRuns } from "../../src/memory/write/fetch-and-run.ts"
import { parseIgnoreList } from "../../src/privacy/files/ignore-rules.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { queriesFor, queryForError, queryForWork } from "../../src/recall/build-queries.ts"
import { addActivity, noActivity } from "../../src/recall/occasion.ts"
import { announcesChange, asks, isTopicChange } from "../../src/recall/topic.ts"
import type { Turn } from "../../src/sessions/turn.ts"
import { tokenize } from "../../src/storage/search.ts"
import { createManualClock } from "../manual-clock.ts"

const user = (text: string): Turn => ({ position: 1, role: "user", at: 0, text })
const agent = (text: string): Turn => ({ position: 0, role: "assistant", at: 0, text })
const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)
const plain = (text: string) => text
const lines = (text: string) => text.split("\n")

/** Every function that reads text from outside, each as a function of that text alone. */
export const textFunctions: Record<string, (text: string) => unknown> = {
  visible: escapeControls,
  shorten: (text) => shorten(text, 100),
  withoutPassword,
  cleanText,
  cleanTags: (text) => cleanTags([text]),
  isReadable,
  wordsIn: tokenize,
  termsOf,
  elementRemover: createElementRemover(["system-reminder", "ide_selection", "hook_context"]),
  withoutUnseen: stripInvisible,
  withoutInjected,
  isOurTool: (text) => isReverieTool(text, text),
  describeCall: (text) => describeCall("sh", { command: text, patch: text }, plain),
  describePatch: (text) => describeCall("apply_patch", text, plain),
  readCodexOutput,
  stripFenced,
  neutralised,
  escapeTags: (text) => escapeTags(text, ["data", "reverie-memory"]),
  queriesFor: (text) => queriesFor(text, [text]).join("\n"),
  queryForWork: (text) => queryForWork(text, text),
  queryForError,
  addActivity: (text) => addActivity(noActivity, { kind: "output", text }, 1000),
  isTopicChange: (text) => isTopicChange({ texts: [text], vectors: [], wasAsked: true }, text, undefined),
  announcesChange,
  asks,
  readAsked: (text) => parseQuery(text, 1),
  timeCues: (text) => timeCues(text, 1),
  occursIn: (text) => occursIn("push*main", text),
  ownWords,
  sentencesOf,
  readTurns: (text) => readTurnsByRules([agent(text), user(text)]),
  readConfirmed: (text) => readTurnsByRules([agent(text), user("yes, exactly")]),
  triggersOf,
  isSupportedBy: (text) => isSupportedBy("We use pnpm here.", [user(text)]),
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
  quoteHiddenLines,
  isPromptInjection,
  isUserWording,
  fetchesAndRuns: (text) => fetchesAndRuns([text]),
  basisOf: (text) => basisOf("We use pnpm here.", [{ ...agent(text), role: "tool" }, user(text)], 1),
  inferType,
  exactValues,
  wordingOf: comparableText,
  countContentWords: topicWords,
  contentKey,
  rewordingProblem: (text) => rewordingProblem(text, `${text} not`),
  readClaims: (text) => readClaims(text, "/work"),
  redact: screen.redactSync,
}
