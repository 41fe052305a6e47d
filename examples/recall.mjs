// A session in which memories come up by themselves, with the prompt they belong to: node examples/recall.mjs
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { openMemory } from "reverie/memory"

const home = await mkdtemp(join(tmpdir(), "reverie-example-"))
// A prompt may wait two seconds for its search here; 150 ms is the default.
const memory = await openMemory({ home, settings: { recall: { wait_ms: 2000 } } })
try {
  await memory.rememberAll([
    { content: "The user prefers pnpm over npm in this project", type: "preference", project: "shop" },
    {
      content: "Payments are tested against the sandbox, with test card 42",
      project: "shop",
      createdAt: "2026-01-31T12:00:00Z",
    },
    { content: "Never run migrations on Fridays", type: "negative", triggers: ["migrat*"], project: "shop" },
  ])
  const session = memory.session({ id: "demo", project: "shop", tool: "my-agent" })

  const { text } = await session.start()
  console.log("Before the first prompt:\n", text)

  const turns = [
    { role: "user", text: "How do I test the payments page?" },
    { role: "assistant", text: "Let me look at the payment code." },
    { role: "user", text: "Good. Then run the migration" },
  ]
  for (const turn of turns) {
    // Gets its own search, and waits for it no longer than recall.wait_ms.
    const { surfaced } = await session.turn(turn)
    console.log(
      turn.role,
      JSON.stringify(turn.text),
      surfaced.map(({ content, via }) => ({ content, via })),
    )
    await sleep(300)
  }
  await session.end()
} finally {
  await memory.close()
  await rm(home, { recursive: true, force: true })
}
