import type { RequestInput } from "../../src/api/contract/requests.ts"
import type { NewRequest } from "../../src/safety/permission/request.ts"
import type { NewTurn } from "../../src/sessions/turn.ts"

type SampleMemory = Omit<RequestInput<"add">, "createdAt"> & { days: number; messageIndex?: number }

/** What is known after some weeks; the first five have a part in the story. */
export const memories: readonly SampleMemory[] = [
  {
    content: "The staging database runs on port 5433, because 5432 is taken by the metrics collector.",
    type: "fact",
    source: "extracted",
    messageIndex: 2,
    tags: ["staging"],
    days: 18,
  },
  {
    content: "Releases go out on Thursdays, after the smoke tests.",
    type: "fact",
    tags: ["release"],
    days: 0.1,
  },
  { content: "Releases go out on Tuesdays.", type: "fact", tags: ["release"], days: 44 },
  {
    content: "Staging is rebuilt every night at 02:00 from the anonymised copy of production.",
    type: "fact",
    days: 12,
  },
  {
    content: "After a rebuild of staging, run `make seed-staging` before the smoke tests.",
    type: "procedure",
    days: 9,
  },
  {
    content: "Never push to main; open a pull request, also for one-line fixes.",
    type: "negative",
    days: 61,
    tags: ["git"],
  },
  {
    content: "Answers should be short, with the command first and the reason after it.",
    type: "preference",
    days: 70,
  },
  { content: "Mira reviews everything that touches billing.", type: "entity", days: 33, tags: ["billing"] },
  {
    content: "The upload test is flaky when the disk is slow; it waits for 200 ms only.",
    type: "observation",
    days: 2,
    tags: ["tests"],
  },
  {
    content: "Use pnpm in tidewater, not npm; the lockfile is pnpm's.",
    type: "correction",
    days: 27,
    tags: ["tooling"],
  },
  {
    content: "The invoice totals are stored in cents as integers.",
    type: "fact",
    days: 51,
    tags: ["billing"],
  },
  {
    content: "To rotate the signing key: stop the worker, run `bin/rotate`, start the worker, check /health.",
    type: "procedure",
    days: 22,
    tags: ["ops"],
  },
  { content: "Feature flags live in config/flags.yaml and are read once at start.", type: "fact", days: 39 },
  { content: "Prefer early returns over nested conditions.", type: "preference", days: 80, tags: ["style"] },
  {
    content: "The tide tables come from the harbour office and are published on the first of each month.",
    type: "fact",
    days: 5,
  },
  {
    content: "The map tiles are cached for seven days; clear them with `bin/tiles clear`.",
    type: "procedure",
    days: 15,
    tags: ["maps"],
  },
  {
    content: "Do not log email addresses, not even in debug mode.",
    type: "negative",
    days: 48,
    tags: ["privacy"],
  },
  {
    content: "The nightly export to the port authority fails when a vessel has no call sign.",
    type: "observation",
    days: 0.2,
    tags: ["export"],
  },
  {
    content: "Postgres 17 is used in production; the test container must have the same version.",
    type: "fact",
    days: 0.15,
  },
  {
    content: "Jonas is away until the first of December; ask Mira about the export.",
    type: "entity",
    days: 0.3,
  },
  {
    content: "Ships without call signs break what is sent to the port authority every night.",
    type: "observation",
    days: 6,
    tags: ["export"],
  },
]

/** The words by which two memories that say the same are known: the newer, and the older. */
export const sameThing = ["no call sign", "without call signs"] as const

interface SampleSession {
  tool: string
  title: string
  branch: string
  hours: number
  turns: Omit<NewTurn, "at" | "key">[]
}

/** What was said; the first session taught the first memory. */
export const said: readonly SampleSession[] = [
  {
    tool: "claude-code",
    title: "Why do the smoke tests fail on staging?",
    branch: "fix/smoke-tests",
    hours: 18 * 24 + 1,
    turns: [
      { role: "user", text: "The smoke tests fail on staging since this morning. Can you find out why?" },
      { role: "tool", tool: "Bash", text: "connect ECONNREFUSED 127.0.0.1:5432", isError: true },
      {
        role: "user",
        text: "Ah, right: the staging database runs on port 5433, because 5432 is taken by the metrics collector.",
      },
      { role: "assistant", text: "Thank you. I point the smoke tests to 5433 and run them again." },
      { role: "tool", tool: "Bash", text: "14 passed (3.2 s)" },
      { role: "user", text: "Good. What else has to happen after a rebuild?" },
      { role: "assistant", text: "After a rebuild, `make seed-staging` has to run before the smoke tests." },
    ],
  },
  {
    tool: "codex",
    title: "Make the upload test less flaky",
    branch: "test/upload",
    hours: 2.5,
    turns: [
      { role: "user", text: "The upload test failed again on CI. It only waits for 200 ms." },
      { role: "assistant", text: "I replaced the wait by a look at the upload's own event." },
    ],
  },
  {
    tool: "opencode",
    title: "Export for the port authority",
    branch: "main",
    hours: 52,
    turns: [
      {
        role: "user",
        text: "The export fails for vessels without a call sign. Skip them and say so in the report.",
      },
      { role: "assistant", text: "Done: 3 vessels are skipped and named in the report." },
    ],
  },
]

/** What an agent wants to do, and may not without a word. */
export const requested: Omit<NewRequest, "askedBy" | "project" | "expiresAt"> = {
  action: "push_branch",
  description: "Push the branch fix/upload-test to origin and open a pull request",
  rationale:
    "The upload test failed four times this week. The change waits for the upload's own event instead of 200 ms.",
  urgency: "normal",
  wait: false,
  context: {
    summary: "A fix for the flaky upload test",
    planned_steps: ["Push fix/upload-test", "Open a pull request to main"],
    files: ["test/upload.test.ts"],
    commands: ["git push origin fix/upload-test"],
    risks: ["The branch becomes visible to everybody who can read the repository."],
    rollback: "Close the pull request and delete the branch.",
    expected_outcome: "A pull request that Mira can review.",
    diff: `--- a/test/upload.test.ts
+++ b/test/upload.test.ts
@@ -14,7 +14,7 @@ test("an upload is complete", async () => {
   const upload = await start("tide-table.csv")
-  await sleep(200)
+  await upload.finished
   expect(await upload.state()).toBe("complete")
 })`,
    tests: "14 passed, 0 failed (3.2 s)",
  },
  call: null,
}
