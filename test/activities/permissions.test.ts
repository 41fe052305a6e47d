import { expect, it } from "vitest"
import { approvedTools } from "../../src/activities/permissions/approved-tools.ts"
import { decideOn } from "../../src/activities/permissions/decide.ts"
import { startRunningApproved } from "../../src/activities/permissions/run-approved.ts"
import { enqueue } from "../../src/activities/tend/control.ts"
import { silentLog } from "../../src/base/log.ts"
import type { PermissionRequest } from "../../src/safety/permission/request.ts"
import { claimApproved, type Decision, listRequests } from "../../src/safety/permission/requests.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { calls, finishes, openTendWorld } from "../../testkit/worlds/tend-world.ts"

const minute = 60_000
const owner = { who: "owner", from: "cli" }

describeDatabases("Permission requests", (create) => {
  async function open(safety: object = {}) {
    const server = await serveModel()
    const world = await openTendWorld(await create(), { server, config: { safety } })
    const done = await world.remember("Alpha likes apples", { source: "inferred" })
    const id = "id" in done ? (done.id ?? "") : ""
    const dropped: string[] = []
    const toolsFor = async (request: PermissionRequest) => approvedTools(world.needs, request, new Set())
    const needs = {
      ...world.needs,
      log: silentLog,
      toolsFor,
      onSettled: async (request: PermissionRequest) => void dropped.push(request.id),
    }
    const plan = (context = "tidy up") =>
      world.act((_, by) =>
        enqueue(
          world.needs,
          { dueAt: world.clock.now(), priority: "normal", context, project: null, createdBy: "user" },
          by,
        ),
      )
    const requests = () => listRequests(world.db, world.install, "all")
    const decide = async (decision: Decision, changes: { digest?: string } = {}) => {
      const request = (await requests()).at(-1)
      if (request === undefined) throw new Error("nothing was asked")
      const { id: which, digest } = request
      return decideOn(needs, { id: which, digest, ...changes, decision, decider: owner }, world.by())
    }
    const runApproved = async () => {
      const stop = startRunningApproved(needs)
      for (let turn = 0; turn < 20; turn += 1) {
        await world.clock.advance(100)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await stop()
    }
    const kinds = async () =>
      (await readJournal(world.db, { kind: ["permission.", "tool."] })).map(({ kind }) => kind)
    return { ...world, world, server, id, dropped, needs, plan, requests, decide, runApproved, kinds }
  }

  const archive = (id: string) => calls("memory_archive", { id, reason: "of no use" })

  it("hold a call back, show it, run exactly it once when it is approved, and tell the next cycle", async () => {
    const one = await open({ require_permission: ["memory_archive"] })
    await one.plan()
    one.server.script([archive(one.id), finishes("Asked.")])
    await one.world.start()
    expect(await one.world.find("Alpha")).toHaveLength(1)
    const [request] = await one.requests()
    expect(request).toMatchObject({
      state: "pending",
      action: "memory_archive",
      call: { tool: "memory_archive", input: { id: one.id, reason: "of no use" } },
    })
    expect(await one.decide({ kind: "approve" })).toMatchObject({ state: "approved", decision: owner })
    await one.runApproved()
    await one.runApproved()
    expect(await one.world.find("Alpha")).toHaveLength(0)
    expect(await one.requests()).toMatchObject([{ state: "done" }])
    const kinds = await one.kinds()
    expect(kinds.filter((kind) => kind === "permission.started")).toHaveLength(1)
    expect(kinds).toEqual(expect.arrayContaining(["tool.held", "permission.requested", "permission.done"]))
    one.server.script([finishes("Heard.")])
    await one.world.pass(10 * minute)
    const told = JSON.stringify(one.server.requests.at(-1)?.asked.messages)
    expect(told).toContain("done")
    expect(told).toContain("I approve of what Reverie asked to do")
  })

  it("reach the agent in the same cycle when they are decided while it runs", async () => {
    const one = await open()
    await one.plan()
    const asks = { action: "rename", description: "rename it", rationale: "clearer", wait: true }
    one.server.script([
      calls("request_permission", asks),
      async () => {
        await one.decide({ kind: "respond", text: "call it Beta" })
        return calls("memory_search", { query: "Alpha" })
      },
      finishes("Done."),
    ])
    await one.world.start()
    expect(JSON.stringify(one.server.requests[2]?.asked.messages.at(-1))).toContain("call it Beta")
    expect(await one.requests()).toMatchObject([{ state: "answered", wait: true }])
    expect((await one.world.queue()).map(({ createdBy }) => createdBy)).toEqual([])
  })

  it("run with edited arguments, if these are right and allowed", async () => {
    const one = await open({ require_permission: ["memory_archive"] })
    const other = await one.world.remember("Beta likes plums", { source: "inferred" })
    const id = "id" in other ? (other.id ?? "") : ""
    await one.plan()
    one.server.script([archive(one.id), finishes("Asked.")])
    await one.world.start()
    await expect(one.decide({ kind: "approve", input: { id } })).rejects.toThrow("is wrong")
    await one.decide({ kind: "approve", input: { id, reason: "the other one" } })
    await one.runApproved()
    expect(await one.world.find("Alpha")).toHaveLength(1)
    expect(await one.world.find("Beta")).toHaveLength(0)
  })

  it("are decided once, by what was shown, before they expire", async () => {
    const one = await open({ require_permission: ["memory_archive"], request_expires_hours: 1 })
    await one.plan()
    one.server.script([archive(one.id), finishes("Asked.")])
    await one.world.start()
    await expect(one.decide({ kind: "approve" }, { digest: "0".repeat(64) })).rejects.toThrow(
      "is not what was shown",
    )
    const both = await Promise.allSettled([one.decide({ kind: "approve" }), one.decide({ kind: "deny" })])
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    await expect(one.decide({ kind: "approve" })).rejects.toThrow("already")
    await one.runApproved()
    await one.plan("again")
    one.server.script([
      calls("request_permission", { action: "other", description: "do it", rationale: "why not" }),
      finishes("Asked."),
    ])
    await one.world.pass(10 * minute)
    await one.world.clock.advance(61 * minute)
    await expect(one.decide({ kind: "approve" })).rejects.toThrow("has expired")
    await one.runApproved()
    const last = (await one.requests()).find(({ action }) => action === "other")
    expect(last).toMatchObject({ state: "expired" })
    expect(one.dropped).toContain(last?.id)
  })

  it("are not asked again after the same was denied twice, and are after it was approved", async () => {
    const one = await open()
    const asks = { action: "push_fix", description: "push it", rationale: "it is good" }
    for (const round of [1, 2]) {
      await one.plan(`round ${round}`)
      const description = `push it, ${round}`
      one.server.script([calls("request_permission", { ...asks, description }), finishes("Asked.")])
      if (round === 1) await one.world.start()
      else await one.world.pass(10 * minute)
      await one.decide({ kind: "deny", text: "not wanted" })
    }
    await one.plan("round 3")
    one.server.script([
      calls("request_permission", { ...asks, description: "push it, once more" }),
      finishes("No."),
    ])
    await one.world.pass(10 * minute)
    const prompt = JSON.stringify(one.server.requests.at(-2)?.asked.messages)
    expect(prompt).toContain("I do not want what Reverie asked to do")
    expect(prompt).toContain("not wanted")
    expect(JSON.stringify(one.server.requests.at(-1)?.asked.messages.at(-1))).toContain(
      "Do not propose it again",
    )
    expect(await one.requests()).toHaveLength(2)
    expect(await one.kinds()).toContain("permission.withheld")
  })

  it("are not run again where nobody knows whether they were run before the process died", async () => {
    const one = await open({ require_permission: ["memory_archive"] })
    await one.plan()
    one.server.script([archive(one.id), finishes("Asked.")])
    await one.world.start()
    const { id } = await one.decide({ kind: "approve" })
    const now = one.world.clock.now()
    await one.world.db.write((transaction) => claimApproved(transaction, { id, now }, one.world.by()))
    await one.runApproved()
    expect(await one.requests()).toMatchObject([
      { state: "failed", outcome: expect.stringContaining("died") },
    ])
    expect(await one.world.find("Alpha")).toHaveLength(1)
  })

  it("are refused for what may never run, in the request and in edited arguments", async () => {
    const one = await open({ never: ["memory_archive"] })
    await one.plan()
    const input = { id: one.id, reason: "of no use" }
    one.server.script([
      calls("request_permission", {
        action: "archive",
        description: "put it aside",
        rationale: "of no use",
        tool: "memory_archive",
        input,
      }),
      finishes("Tried."),
    ])
    await one.world.start()
    expect(await one.requests()).toEqual([])
    expect(JSON.stringify(one.server.requests[1]?.asked.messages.at(-1))).toContain("Not asked")
  })
})
