import type { Random } from "../../src/base/random.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { itemsIn } from "../worlds/tend-world.ts"

/** Has the scripted model play a gardener: it mostly ends its cycle with a wake it asks for, plans things, and sometimes fails. */
export function playAgent(server: ModelServer, random: Random): void {
  server.always(({ asked }) => {
    const last = JSON.stringify(asked.messages.at(-1) ?? "")
    const chance = random.next()
    // Whoever was reminded, or has just planned something, comes to an end.
    const isLast = last.includes("You stopped without") || last.includes("Planned as")
    if (!isLast && chance < 0.05) return { fail: 500, headers: { "x-should-retry": "false" } }
    if (!isLast && chance < 0.2) return { text: "That is all for now." }
    if (!isLast && chance < 0.4)
      return call("schedule_ambient", {
        ...wakeTime(random, 2000),
        context: "look again",
        priority: "normal",
      })
    const next_schedule = wakeTime(random, 400)
    const done = itemsIn(JSON.stringify(asked.messages)).map((id) => ({
      name: "queue_done",
      input: { id, result: "Done." },
    }))
    const ending = call("end_ambient_cycle", { summary: "Did what was to be done.", next_schedule })
    return { ...ending, calls: [...done, ...ending.calls] }
  })
}

function wakeTime(random: Random, most: number) {
  return { wake_in_minutes: 7 + Math.floor(random.next() * most) }
}

function call(name: string, input: object) {
  return { calls: [{ name, input }], usage: { input: 2000, output: 200 } }
}
