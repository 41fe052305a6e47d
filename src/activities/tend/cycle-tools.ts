import { keepProgress } from "../../attention/cycles.ts"
import { claimedItems } from "../../attention/queue.ts"
import { shorten } from "../../base/text/text.ts"
import type { Sandbox } from "../../coding/work/sandbox/sandbox.ts"
import { changesInWords } from "../../memory/garden/change-words.ts"
import { eachText } from "../../memory/model/screen-memory.ts"
import type { Changed } from "../../memory/write/change/operation.ts"
import { type Decided, type Guard, type Guarded, guarded } from "../../safety/dispatch.ts"
import type { Tool } from "../../safety/tool.ts"
import { appendEntry } from "../../storage/journal.ts"
import { cycleTools } from "../../tools/cycle.ts"
import { memoryChangeTools } from "../../tools/memory-change.ts"
import { memoryReadTools } from "../../tools/memory-read.ts"
import { permissionTool, type Wanted } from "../../tools/permission.ts"
import { pushTool } from "../../tools/push.ts"
import { queueTools } from "../../tools/queue.ts"
import { repositoryTools } from "../../tools/repository.ts"
import { workTools } from "../../tools/work.ts"
import { askAbout, askFor, decisionsSince } from "./ask-person.ts"
import type { Run, TendNeeds } from "./run.ts"

/** The tools of a cycle under its guard: which ones there are depends on how far it is trusted. */
export function guardedTools(needs: TendNeeds, run: Run, hasReadOutside: boolean): Guarded {
  const tools: Tool[] = toolsOf(needs, run)
  tools.push(permissionTool((wanted) => askFor(needs, run, tools, wanted)))
  return guarded(guardOf(needs, run, hasReadOutside), tools)
}

function guardOf(needs: TendNeeds, run: Run, hasReadOutside: boolean): Guard {
  return {
    config: needs.config,
    hasReadOutside,
    onDecided: (decided) => keepDecision(needs, run, decided),
    ask: (decided) => askAbout(needs, run, decided),
    news: () => decisionsSince(needs, run),
  }
}

const kinds = { auto: "tool.allowed", ask: "tool.held", never: "tool.refused" } as const
/** So much of an input stands in the journal. */
const longestInput = 2000

async function keepDecision(
  { db, clock, screen }: TendNeeds,
  run: Run,
  { tool, tier, reason, input }: Decided,
): Promise<void> {
  const shown = shorten(JSON.stringify(await eachText(input, screen.redact)), longestInput)
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
        keepProgress(transaction, run.cycle.id, { progress: run.progress }),
      )
    },
    async onDeed(name: string, { operation, memories }: Changed) {
      const words = changesInWords(memories)
      run.receipt.deeds.push({ name, operation, changed: memories.length, words })
      await needs.db.write((transaction) => keepProgress(transaction, run.cycle.id, { receipt: run.receipt }))
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

/** What work on code has beside the rest; a change is put before the person like any other request. */
function workDesk(needs: TendNeeds, run: Run, sandbox: Sandbox) {
  const push = pushTool(needs)
  return {
    sandbox,
    begun: new Map<string, { project: string; before: string; passedBefore: boolean | null }>(),
    ask: (wanted: Wanted) => askFor(needs, run, [push], wanted),
  }
}
