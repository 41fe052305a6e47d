import { newId } from "../../../../base/random.ts"
import { loadInstall } from "../../../../config/install.ts"
import { addRequest } from "../../../../safety/permission/requests.ts"
import type { CliNeeds } from "../../needs.ts"

/** Puts one request into the inbox, as a cycle with a model would: nothing runs when it is approved. */
export async function addSampleRequest(needs: CliNeeds): Promise<void> {
  const db = await needs.openDatabase()
  try {
    const now = needs.clock.now()
    const where = {
      install: loadInstall(needs.paths.installFile, needs.random).id,
      random: needs.random,
      now,
    }
    const by = { operation: newId(needs.random, "op"), actor: "demo" }
    await db.write((transaction) =>
      addRequest(
        transaction,
        where,
        {
          askedBy: "demo",
          project: null,
          action: "create_pull_request",
          description: "Open a pull request that pins the linter's version",
          rationale: "Two sessions of this week failed because the linter was updated in between.",
          urgency: "normal",
          wait: false,
          context: {
            summary: "One line in package.json changes.",
            planned_steps: ["Push the branch", "Open the pull request"],
            files: ["package.json"],
            commands: [],
            risks: ["The branch becomes visible to the whole team."],
            rollback: "Close the pull request and delete the branch.",
            expected_outcome: "The same linter for everybody.",
            diff: '--- a/package.json\n+++ b/package.json\n@@ -12 +12 @@\n-    "linter": "^4.0.0",\n+    "linter": "4.2.1",\n',
            tests: "",
          },
          call: null,
          expiresAt: now + 86_400_000,
        },
        by,
      ),
    )
  } finally {
    await db.close()
  }
}
