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

  it("tells updates from what holds beside in other languages too", async () => {
    const judgement = judgementOf(openTestEmbedder({ judge: findJudge("all-MiniLM-L6-v2") }).embedder)
    const older = "La documentazione sta su Confluence."
    const [update, beside] =
      (await judgement?.relates([
        { older, newer: "Tutti i documenti sono nel repository, cartella docs; Confluence è stato chiuso." },
        { older, newer: "Su Confluence ogni squadra ha uno spazio suo." },
      ])) ?? []
    expect(update?.update).toBeGreaterThan(judgement?.thresholds.update ?? 1)
    expect(beside?.update).toBeLessThan(judgement?.thresholds.update ?? 0)
    const [rule, order] =
      (await judgement?.teaches([
        { text: "W piątki nigdy nie wdrażamy na produkcję", before: "", after: "" },
        { text: "zmień nazwę tej zmiennej na licznik", before: "", after: "" },
      ])) ?? []
    expect(1 - (rule?.nothing ?? 1)).toBeGreaterThan(judgement?.thresholds.teaches.pending ?? 1)
    expect(1 - (order?.nothing ?? 0)).toBeLessThan(judgement?.thresholds.teaches.pending ?? 0)
  })

  it("loads the model for other languages only when such a text comes, and says if its file is another", async () => {
    const judge = findJudge("all-MiniLM-L6-v2")
    if (judge === undefined) throw new Error("there is no judge")
    const { english, multilingual } = judge.files
    const files = { english, multilingual: { ...multilingual, sha256: "0".repeat(64) } }
    const judgement = judgementOf(openTestEmbedder({ judge: { ...judge, files } }).embedder)
    const ask = (text: string) => judgement?.teaches([{ text, before: "", after: "" }])
    await expect(ask("We never deploy on Fridays")).resolves.toHaveLength(1)
    await expect(ask("Freitags wird bei uns nie ausgeliefert")).rejects.toThrow(
      "is not the file that Reverie knows",
    )
  })

  it("is not there for an embedder beside which nothing was set", () => {
    expect(findJudge("gte-small")).toBeUndefined()
  })
})
