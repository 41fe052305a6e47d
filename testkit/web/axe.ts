import axe from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  id: string
  impact: string | null
  nodes: { target: string[]; failureSummary?: string }[]
}

/** What axe finds wrong with a page that is serious or worse, each as one line. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // The page's own policy allows no foreign script; the browser's tools come in beside it.
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: axe.source })
  const expression =
    "axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(found.violations))"
  const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true })
  await session.detach()
  const violations = JSON.parse(result.value) as Violation[]
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ target }) => target.join(" "))
          .join(" | ")}`,
    )
}
