import { ambientState, changeAmbientState } from "../../../attention/ambient-state.ts"
import { newId } from "../../../base/random.ts"
import { count, shorten } from "../../../base/text/text.ts"
import type { Run, TendNeeds } from "../run.ts"
import { findCandidates } from "./candidates.ts"
import { runTestsOnce } from "./run-tests.ts"

const mostBroughtUp = 500

/** Finds possible work, for the model or, without one, for the user. Runs tests if the cycle may work on code. */
export async function findWork(needs: TendNeeds, run: Run, signal: AbortSignal): Promise<void> {
  const { db, install } = needs
  run.sandbox = await sandboxFor(needs, run)
  const { sandbox } = run
  const runTests = sandbox && {
    runTests: (project: string, folder: string, head: string) =>
      runTestsOnce({ ...needs, sandbox }, { project, folder, head, cycle: run.cycle.id }, signal),
  }
  const found = await findCandidates({ ...needs, ...runTests }, run.excluded.unseen)
  const { broughtUp } = await ambientState(db, install)
  run.candidates = found.filter(({ key }) => !broughtUp.includes(key))
  run.receipt.found.push(
    ...found.map(({ title, reasons }) =>
      shorten(needs.screen.redactSync(`${title} (${reasons.join("; ")})`), 300),
    ),
  )
}

/** The sandbox, if this cycle may work on code. Warns if it may but there is none. */
async function sandboxFor(needs: TendNeeds, run: Run) {
  if (run.level !== "work" || !needs.config.work.enabled) return undefined
  const found = await needs.sandbox()
  if (found.outcome === "found") return found.sandbox
  run.receipt.warnings.push(`No code is worked on: ${found.reason}. ${found.fix}`)
  return undefined
}

/** Marks candidates as suggested, so that they are not suggested again. */
export async function markSuggested({ db, clock, install, random }: TendNeeds, run: Run): Promise<void> {
  if (run.candidates.length === 0) return
  const keys = run.candidates.map(({ key }) => key)
  const entry = {
    operation: newId(random, "op"),
    actor: "ambient",
    kind: "ambient.suggested" as const,
    data: { what: count(keys.length, "thing") },
  }
  await db.write(async (transaction) => {
    const state = await ambientState(transaction, install)
    const broughtUp = [...new Set([...state.broughtUp, ...keys])].slice(-mostBroughtUp)
    await changeAmbientState(transaction, { install, now: clock.now() }, { broughtUp }, entry)
  })
}
