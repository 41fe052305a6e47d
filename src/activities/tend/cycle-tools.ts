import { saveProgress } from "../../attention/cycles.ts"
import { claimedItems } from "../../attention/queue.ts"
import { shorten } from "../../base/text/text.ts"
import type { Sandbox } from "../../coding/work/sandbox/sandbox.ts"
import { describeChanges } from "../../memory/garden/describe-changes.ts"
import { cleanDeep } from "../../memory/model/screen-memory.ts"
import type { ChangeResult } from "../../memory/write/change/operation.ts"
import { type CallDecision, type Guard, type GuardedTools, withGuard } from "../../safety/dispatch.ts"
import type { Tool } from "../../safety/tool.ts"
import { appendEntry } from "../../storage/journal.ts"
import { cycleTools } from "../../tools/cycle.ts"
import { memoryChangeTools } from "../../tools/memory-change.ts"
import { memoryReadTools } from "../../tools/memory-read.ts"
import { type PermissionDraft, permissionTool } from "../../tools/permission.ts"
import { pushTool } from "../../tools/push.ts"
import { queueTools } from "../../tools/queue.ts"
import { repositoryTools } from "../../tools/repository.ts"
import { workTools } from "../../tools/work.ts"
import { decisionsSince, requestForCall, requestPermission } from "./request-permission.ts"
import type { Run, TendNeeds } from "./run.ts"

/** The tools of a cycle under its guard. Its trust level decides which ones there are. */
export function guardedTools(needs: TendNeeds, run: Run, hasReadUntrusted: boolean): GuardedTools {
  const tools: Tool[] = toolsOf(needs, run)
  tools.push(permissionTool((wanted) => requestPermission(needs, run, tools, wanted)))
  return withGuard(guardOf(needs, run, hasReadUntrusted), tools)
}

function guardOf(needs: TendNeeds, run: Run, hasReadUntrusted: boolean): Guard {
  return {
    config: needs.config,
    hasReadUntrusted,
    onDecided: (decided) => recordDecision(needs, run, decided),
    ask: (decided) => requestForCall(needs, run, decided),
    newDecisions: () => decisionsSince(needs, run),
  }
}

const kinds = { auto: "tool.allowed", ask: "tool.held", never: "tool.refused" } as const
/** The longest input in the journal. */
const longestInput = 2000

async function recordDecision(
  { db, clock, screen }: TendNeeds,
  run: Run,
  { tool, tier, reason, input }: CallDecision,
): Promise<void> {
  const shown = shorten(JSON.stringify(await cleanDeep(input, screen.redact)), longestInput)
  const data = { tool, reason: shorten(await screen.redact(reason), longestInput), input: shown }
  const entry = { ...run.by(), at: clock.now(), kind: kinds[tier], subject: run.cycle.id, data }
  await db.write((transaction) => appendEntry(transaction, entry))
}

function toolsOf(needs: TendNeeds, run: Run): Tool[] {
  const desk = {
    ...needs,
    cycle: run.cycle.id,
    by: run.by,
    excluded: run.excluded.unseen,
    losses: run.losses,
    openItems: () => claimedItems(needs.db, run.cycle.id),
    async onTodos(todos: Run["progress"]["todos"]) {
      const before = new Map(run.progress.todos.map(({ text, handedOver }) => [text, handedOver]))
      const kept = todos.map((todo) => {
        const handedOver = before.get(todo.text)
        return handedOver === undefined ? todo : { ...todo, handedOver }
      })
      run.progress = { ...run.progress, todos: kept }
      await needs.db.write((transaction) =>
        saveProgress(transaction, run.cycle.id, { progress: run.progress }),
      )
    },
    async onChange(name: string, { operation, memories }: ChangeResult) {
      const words = describeChanges(memories)
      run.receipt.deeds.push({ name, operation, changed: memories.length, words })
      await needs.db.write((transaction) => saveProgress(transaction, run.cycle.id, { receipt: run.receipt }))
    },
    onEnding(ending: NonNullable<Run["ending"]>) {
      run.ending = ending
    },
  }
  return [
    ...cycleTools(desk),
    ...queueTools(desk),
    ...memoryReadTools(desk),
    ...repositoryTools(desk),
    ...(run.level === "observe" ? [] : memoryChangeTools(desk)),
    ...(run.sandbox === undefined ? [] : workTools({ ...desk, ...workDesk(needs, run, run.sandbox) })),
  ]
}

/** The additional context of work tools. A change is proposed like any other request. */
function workDesk(needs: TendNeeds, run: Run, sandbox: Sandbox) {
  const push = pushTool(needs)
  return {
    sandbox,
    begun: new Map<string, { project: string; before: string; passedBefore: boolean | null }>(),
    ask: (wanted: PermissionDraft) => requestPermission(needs, run, [push], wanted),
  }
}
