import sample from "../../../../../assets/demo/demo.json" with { type: "json" }
import { newId } from "../../../../base/random.ts"
import { loadInstall } from "../../../../config/install.ts"
import { addRequest } from "../../../../safety/permission/requests.ts"
import type { CliNeeds } from "../../needs.ts"

/** Puts the sample request into the inbox, as a cycle with a model would. Nothing runs if the user approves it. */
export async function addSampleRequest({ openDatabase, clock, paths, random }: CliNeeds): Promise<void> {
  const db = await openDatabase()
  try {
    const now = clock.now()
    const where = { install: loadInstall(paths.installFile, random).id, random, now }
    const by = { operation: newId(random, "op"), actor: "demo" }
    const request = { ...sample.request, urgency: "normal" as const, expiresAt: now + 86_400_000 }
    await db.write((transaction) => addRequest(transaction, where, request, by))
  } finally {
    await db.close()
  }
}
