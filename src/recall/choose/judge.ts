import { z } from "zod"
import type { Models } from "../../llm/choice/models.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { answering } from "../../safety/dispatch.ts"
import { defineTool, type Tool } from "../../safety/tool.ts"
import { originOf, wholeContent } from "../brief/write-text.ts"
import { type JudgedRequest, judgeInstructions, judgeQuestion, saidText } from "./prompts.ts"
import type { DeeperLook } from "./read-source.ts"

export interface JudgeNeeds {
  models: Models
  /** What the judge may look at beyond the list; nothing without it. */
  deeper?: DeeperLook | undefined
}

/** What is to be judged. */
interface Case extends Pick<JudgedRequest, "request" | "before"> {
  /** Best first. */
  candidates: readonly Memory[]
  /** How many may be named at most. */
  most: number
  projects: readonly string[]
  signal: AbortSignal
}

/** What a model said. Ids stand in the order in which the candidates were given. */
export type Verdict =
  | { outcome: "judged"; relevant: string[]; irrelevant: string[] }
  | { outcome: "failed"; reason: string }

/**
 * Asks a model which memories matter. Only what two votes agree on counts: they see the list in opposite orders, so that
 * neither a position in it nor a whim decides. Where the first finds nothing the second is not asked.
 */
export async function judge(needs: JudgeNeeds, given: Case): Promise<Verdict> {
  const first = await vote(needs, given, given.candidates)
  if (first.outcome === "failed" || first.relevant.length === 0) return withoutBlame(first)
  const second = await vote(needs, given, given.candidates.toReversed())
  if (second.outcome === "failed") return second
  const agreed = (one: readonly string[], other: readonly string[]) => one.filter((id) => other.includes(id))
  return {
    outcome: "judged",
    relevant: inOrder(given.candidates, agreed(first.relevant, second.relevant)),
    irrelevant: inOrder(given.candidates, agreed(first.irrelevant, second.irrelevant)),
  }
}

/** One vote alone blames nothing. */
function withoutBlame(verdict: Verdict): Verdict {
  return verdict.outcome === "judged" ? { ...verdict, irrelevant: [] } : verdict
}

function inOrder(candidates: readonly Memory[], ids: readonly string[]): string[] {
  return candidates.flatMap(({ id }) => (ids.includes(id) ? [id] : []))
}

/** What one vote may take. */
const limits = { steps: 4, calls: 6, tokens: 80_000, wallMs: 90_000 }
const maxOutputTokens = 1000

async function vote(needs: JudgeNeeds, given: Case, candidates: readonly Memory[]): Promise<Verdict> {
  let chosen: { relevant: number[]; irrelevant: number[] } | undefined
  const answer = defineTool({
    name: "choose_memories",
    description: "Says which of the numbered candidates the agent should see now. Ends the matter.",
    input: z.object({
      relevant: z.array(z.int().min(1).max(candidates.length)).max(given.most),
      irrelevant: z.array(z.int().min(1).max(candidates.length)).max(20).default([]),
    }),
    tier: "auto",
    async run(input) {
      chosen = input
      return { text: "Noted.", ends: true }
    },
  })
  const shown = candidates.map((memory) => ({
    content: wholeContent(memory),
    type: memory.type,
    origin: originOf(memory),
  }))
  const conversed = await needs.models.converse(
    "judge",
    {
      system: judgeInstructions(given.most),
      messages: [{ role: "user", text: judgeQuestion({ ...given, candidates: shown }) }],
      ...answering([answer, ...deeperTools(needs.deeper, candidates, given.projects)]),
      limits,
      maxOutputTokens,
      mustCall: true,
      signal: given.signal,
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

function deeperTools(
  deeper: DeeperLook | undefined,
  candidates: readonly Memory[],
  projects: readonly string[],
): Tool[] {
  if (deeper === undefined) return []
  return [
    defineTool({
      name: "read_source",
      description: "Shows what was said where a candidate comes from. Reading only.",
      input: z.object({ number: z.int().min(1).max(candidates.length) }),
      tier: "auto",
      readsOutside: true,
      async run({ number }) {
        const memory = candidates[number - 1]
        return memory ? saidText(await deeper.readSource(memory)) : "There is no such candidate."
      },
    }),
    defineTool({
      name: "search_sessions",
      description: "Finds what was said in earlier sessions of this project, by words. Reading only.",
      input: z.object({ words: z.string().min(1).max(200) }),
      tier: "auto",
      readsOutside: true,
      run: async ({ words }) => saidText(await deeper.searchSessions(words, projects)),
    }),
  ]
}
