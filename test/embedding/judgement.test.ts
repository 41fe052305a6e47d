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

  it("is not sure of guesses, hearsay, jokes, conditions and what holds for a while only", async () => {
    const judgement = judgementOf(openTestEmbedder({ judge: findJudge("all-MiniLM-L6-v2") }).embedder)
    const said = [
      "maybe the ledger closes at noon on Fridays",
      "my boss says the ledger closes at noon",
      "oh sure, we never have outages lol",
      "if we moved to Kafka the consumers would need a rewrite",
      "the ledger closes at noon for now",
      "staging is down since noon",
    ]
    const judged = await judgement?.teaches(said.map((text) => ({ text, before: "", after: "" })))
    for (const { nothing } of judged ?? [])
      expect(1 - nothing).toBeLessThan(judgement?.thresholds.teaches.pending ?? 0)
    const [plain] = (await judgement?.teaches([{ text: "we deploy from main", before: "", after: "" }])) ?? []
    expect(1 - (plain?.nothing ?? 1)).toBeGreaterThan(judgement?.thresholds.teaches.pending ?? 1)
  })

  it("tells a note that answers from one about the same thing that does not", async () => {
    const judgement = judgementOf(openTestEmbedder({ judge: findJudge("all-MiniLM-L6-v2") }).embedder)
    const notes = [
      "Payments are tested with the Stripe test keys in .env.test",
      "The payments team sits in Berlin",
    ]
    const [answers = 0, beside = 1] =
      (await judgement?.answers("How do I test the payments page?", notes)) ?? []
    expect(answers).toBeGreaterThan(2 * beside)
  })

  it("is not there for an embedder beside which nothing was set", () => {
    expect(findJudge("gte-small")).toBeUndefined()
  })
})
