import { join } from "node:path"
import { expect, it } from "vitest"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { simulateMonth } from "../../testkit/month/simulate.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

it("lives through seven days: it comes when it said, never beside the user, runs all once, and idle days are free", async () => {
  const server = await serveModel()
  const folder = throwawayFolder()
  const url = `sqlite:${join(folder, "month.db")}`
  const month = await simulateMonth({ server, folder, url, days: 7, seed: 5 })
  expect(month.cycles.length).toBeGreaterThan(40)
  expect(month.cycles.some(({ model }) => model !== null)).toBe(true)
  expect(month.cycles.every(({ status }) => status !== "running")).toBe(true)
  expect(Math.max(...month.wakeErrors)).toBe(0)
  expect(month.beganWhileActive).toBe(0)
  const due = month.planned.filter(({ isDue }) => isDue)
  expect(due.length).toBeGreaterThan(3)
  expect(due.map(({ finished }) => finished)).toEqual(due.map(() => 1))
  expect(month.idleDays).toBeGreaterThan(0)
  expect(month.idleTokens).toBe(0)
  expect(month.tokens).toBeGreaterThan(0)
}, 300_000)
