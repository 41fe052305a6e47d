import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { killRoom } from "../../testkit/chat/killing/kill-room.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

test("a room's process that is killed 6 times says nothing twice and leaves nobody without an answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reverie kill "))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const killed = await killRoom({ folder, kills: 6, random: createSeededRandom(5) })
  const { mentions, twice, lostMentions, lostMessages } = killed
  expect({ twice, lostMentions, lostMessages }).toEqual({ twice: [], lostMentions: [], lostMessages: [] })
  expect(mentions).toBeGreaterThan(1)
}, 180_000)
