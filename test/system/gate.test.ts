import { expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { describeWithModel } from "../../testkit/embedding.ts"
import { createInstallation } from "../../testkit/program/program.ts"

const staging = "Staging data is wiped every night at two."
const notes = [
  "Option bytes must never be written from the application; forty units were bricked that way in March.",
  "Bootloader takes the first 32k of flash, application starts at 0x08008000.",
  "Pump motors have 7 pole pairs, fan motors 4.",
  "The release branch is cut on Thursdays, and Ines writes the changelog.",
  "Add new feature flags to flags.yaml with an owner and an end date.",
  staging,
  "Customer invoices are numbered by the ERP, never by us.",
]

describeWithModel("The gate through the program", () => {
  it("hears a subject among filler, lets a clear winner stand alone, and one common word bring up nothing", async () => {
    const { json, daemonHere } = createInstallation()
    await daemonHere()
    for (const note of notes) await json("add", "--global", note)
    const asked = async (prompt: string) => {
      const { memories } = await json<Answer<"recallPreview">>("recall", prompt)
      return memories.map(({ content }) => content)
    }
    // Of all these words only a few are about anything; the others tell nothing, though no note has them.
    const filled =
      "hey, quick one before I start, is there anything I should remember about rows I put into the staging database today? I'd like to look at them again tomorrow morning"
    expect(await asked(filled)).toEqual([staging])
    expect(await asked("can we just number the invoices for the customers ourselves")).toHaveLength(1)
    expect(await asked("please add my cousin to the guest list of the wedding")).toEqual([])
    expect(await asked("What shall I cook for my sister's birthday dinner on Saturday?")).toEqual([])
  })
})
