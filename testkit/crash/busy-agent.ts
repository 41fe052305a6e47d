import { systemRandom } from "../../src/base/random.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { itemsIn } from "../worlds/tend-world.ts"

/** What the agent was told to be done: the text of each plan by its queue id, and each operation by its id. */
export interface Ledger {
  done: Map<string, string>
  /** Once it is calm, the agent plans nothing more. */
  isCalm: boolean
}

/** Has the scripted model plan and change things all the time; what it was told to be done is written down. */
export function playBusyAgent(server: ModelServer): Ledger {
  const ledger: Ledger = { done: new Map(), isCalm: false }
  let plans = 0
  server.always(({ asked }) => {
    const text = JSON.stringify(asked.messages)
    for (const [, id] of text.matchAll(/Planned as (q_[a-z0-9]+)/g)) if (id) ledger.done.set(id, "plan")
    for (const [, id] of text.matchAll(/Done \((cycle_[a-z0-9]+-\d+)\)/g))
      if (id) ledger.done.set(id, "operation")
    const slow = Math.floor(systemRandom.next() * 8)
    const chance = systemRandom.next()
    if (chance < 0.5 && !ledger.isCalm) {
      plans += 1
      const input = { wake_in_minutes: 30, context: `agent item ${plans}`, priority: "low" }
      return { calls: [{ name: "schedule_ambient", input }], slow }
    }
    if (chance < 0.7) return { calls: [{ name: "memory_search", input: { query: "drawer" } }], slow }
    const next_schedule = { wake_in_minutes: 60 }
    const done = itemsIn(text).map((id) => ({ name: "queue_done", input: { id, result: "Worked." } }))
    const end = { name: "end_ambient_cycle", input: { summary: "Worked.", next_schedule } }
    return { calls: [...done, end], slow }
  })
  return ledger
}
