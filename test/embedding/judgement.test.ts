import { expect, it } from "vitest"
import { findJudge } from "../../src/embedding/judge-card.ts"
import { judgementOf } from "../../src/judgement/judgement.ts"
import { describeWithModel, openTestEmbedder } from "../../testkit/embedding.ts"

describeWithModel("The trained model", () => {
  it("is there, and holds updates for likelier than what holds beside", async () => {
    const judge = findJudge("all-MiniLM-L6-v2")
    expect(judge).toBeDefined()
    const judgement = judgementOf(openTestEmbedder({ judge }).embedder)
    const older = "Our CI is GitHub Actions."
    const [update, beside, same] =
      (await judgement?.relates([
        { older, newer: "We moved CI from GitHub Actions to Buildkite last month." },
        { older, newer: "CI sends its failures to the #builds channel." },
        { older, newer: "We use GitHub Actions for CI." },
      ])) ?? []
    expect(update?.update).toBeGreaterThan(beside?.update ?? 1)
    expect(update?.update).toBeGreaterThan(same?.update ?? 1)
    expect(same?.duplicate).toBeGreaterThan(update?.duplicate ?? 1)
    expect(Object.values(update ?? {}).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 3)
  })

  it("holds what will still matter for likelier to teach than an order for now", async () => {
    const judgement = judgementOf(openTestEmbedder({ judge: findJudge("all-MiniLM-L6-v2") }).embedder)
    const [rule, order] =
      (await judgement?.teaches([
        { text: "We never deploy on Fridays", before: "", after: "" },
        { text: "rename that variable to count", before: "", after: "" },
      ])) ?? []
    expect(rule?.nothing).toBeLessThan(order?.nothing ?? 0)
  })

  it("is not there for an embedder whose word table it does not share", () => {
    expect(findJudge("gte-small")).toBeUndefined()
  })
})
