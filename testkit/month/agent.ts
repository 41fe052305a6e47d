import type { Random } from "../../src/base/random.ts"
import type { ModelServer } from "../model-server/model-server.ts"

/** Has the scripted model play a gardener: it mostly ends its cycle with a wish, plans things, and sometimes fails. */
export function playAgent(server: ModelServer, random: Random): void {
  server.always(({ asked }) => {
    const last = JSON.stringify(asked.messages.at(-1) ?? "")
    const chance = random.next()
    // Whoever was reminded, or has just planned something, comes to an end.
    const isLast = last.includes("You stopped without") || last.includes("Planned as")
    if (!isLast && chance < 0.05) return { fail: 500, headers: { "x-should-retry": "false" } }
    if (!isLast && chance < 0.2) return { text: "That is all for now." }
    if (!isLast && chance < 0.4)
      return call("schedule_ambient", { ...wish(random, 2000), context: "look again", priority: "normal" })
    const next_schedule = { ...wish(random, 400), context: "go on" }
    return call("end_ambient_cycle", { summary: "Did what was to be done.", next_schedule })
  })
}

function wish(random: Random, most: number) {
  return { wake_in_minutes: 7 + Math.floor(random.next() * most) }
}

function call(name: string, input: object) {
  return { calls: [{ name, input }], usage: { input: 2000, output: 200 } }
}
