import { z } from "zod"
import type { Models } from "../../llm/choice/models.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { withReadOnlyGuard } from "../../safety/dispatch.ts"
import { defineTool, type Tool } from "../../safety/tool.ts"
import { originOf, wholeContent } from "../brief/write-text.ts"
import { type JudgedRequest, judgeInstructions, judgeQuestion, saidText } from "./prompts.ts"
import type { SourceReader } from "./read-source.ts"

interface JudgeInput extends Pick<JudgedRequest, "request" | "before"> {
  /** Best first. */
  candidates: readonly Memory[]
  /** At most this many may be relevant. */
  most: number
  projects: readonly string[]
  /** Lets the judge read past sessions. */
  sourceReader: SourceReader | undefined
  signal: AbortSignal
}

/** The judge's verdict; ids are in the order of the candidates. */
export type Verdict =
  | { outcome: "judged"; relevant: string[]; irrelevant: string[] }
  | { outcome: "failed"; reason: string }

/**
 * Asks a model which memories matter. Only what two votes agree on counts: they see the list in opposite orders, so that
 * the position does not decide. If the first vote finds nothing relevant, there is no second.
 */
export async function judge(models: Models, input: JudgeInput): Promise<Verdict> {
  const first = await vote(models, input, input.candidates)
  if (first.outcome === "failed" || first.relevant.length === 0) return withoutIrrelevant(first)
  const second = await vote(models, input, input.candidates.toReversed())
  if (second.outcome === "failed") return second
  const agreed = (one: readonly string[], other: readonly string[]) => one.filter((id) => other.includes(id))
  return {
    outcome: "judged",
    relevant: inOrder(input.candidates, agreed(first.relevant, second.relevant)),
    irrelevant: inOrder(input.candidates, agreed(first.irrelevant, second.irrelevant)),
  }
}

/** A single vote does not mark memories as irrelevant. */
function withoutIrrelevant(verdict: Verdict): Verdict {
  return verdict.outcome === "judged" ? { ...verdict, irrelevant: [] } : verdict
}

function inOrder(candidates: readonly Memory[], ids: readonly string[]): string[] {
  return candidates.flatMap(({ id }) => (ids.includes(id) ? [id] : []))
}

/** The limits of one vote. */
const limits = { steps: 4, calls: 6, tokens: 80_000, wallMs: 90_000 }
const maxOutputTokens = 1000

async function vote(models: Models, input: JudgeInput, candidates: readonly Memory[]): Promise<Verdict> {
  let chosen: { relevant: number[]; irrelevant: number[] } | undefined
  const answer = defineTool({
    name: "choose_memories",
    description: "Says which of the numbered candidates the agent should see now. Ends the matter.",
    input: z.object({
      relevant: z.array(z.int().min(1).max(candidates.length)).max(input.most),
      irrelevant: z.array(z.int().min(1).max(candidates.length)).max(20).default([]),
    }),
    tier: "auto",
    async run(answered) {
      chosen = answered
      return { text: "Noted.", ends: true }
    },
  })
  const shown = candidates.map((memory) => ({
    content: wholeContent(memory),
    type: memory.type,
    origin: originOf(memory),
  }))
  const conversed = await models.converse(
    "judge",
    {
      system: judgeInstructions(input.most),
      messages: [{ role: "user", text: judgeQuestion({ ...input, candidates: shown }) }],
      ...withReadOnlyGuard([answer, ...sourceTools(input.sourceReader, candidates, input.projects)]),
      limits,
      maxOutputTokens,
      mustCall: true,
      signal: input.signal,
    },
    { source: "judge", cycle: null },
  )
  if (chosen === undefined) return { outcome: "failed", reason: reasonOf(conversed.end) }
  const idsOf = (numbers: readonly number[]) => numbers.flatMap((number) => candidates[number - 1]?.id ?? [])
  const relevant = idsOf(chosen.relevant)
  const irrelevant = idsOf(chosen.irrelevant).filter((id) => !relevant.includes(id))
  return { outcome: "judged", relevant, irrelevant }
}

type End = Awaited<ReturnType<Models["converse"]>>["end"]

function reasonOf(end: End): string {
  return end.reason === "failed" ? end.failure.message : `the model gave no verdict (${end.reason})`
}

function sourceTools(
  sourceReader: SourceReader | undefined,
  candidates: readonly Memory[],
  projects: readonly string[],
): Tool[] {
  if (sourceReader === undefined) return []
  return [
    defineTool({
      name: "read_source",
      description: "Shows what was said where a candidate comes from. Reading only.",
      input: z.object({ number: z.int().min(1).max(candidates.length) }),
      tier: "auto",
      readsUntrusted: true,
      async run({ number }) {
        const memory = candidates[number - 1]
        return memory ? saidText(await sourceReader.readSource(memory)) : "There is no such candidate."
      },
    }),
    defineTool({
      name: "search_sessions",
      description: "Finds what was said in earlier sessions of this project, by words. Reading only.",
      input: z.object({ words: z.string().min(1).max(200) }),
      tier: "auto",
      readsUntrusted: true,
      run: async ({ words }) => saidText(await sourceReader.searchSessions(words, projects)),
    }),
  ]
}
