import { join } from "node:path"
import { expect, test } from "vitest"
import { writeTranscript } from "../../testkit/hostile/hostile-transcripts.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

test("a daemon that is told to stop while it reads a long transcript stops at once", async () => {
  const tools = throwawayFolder()
  const { daemon } = createPlainInstallation({ env: toolEnvironment(tools) })
  writeTranscript(join(tools, "claude"), "short-lines", 5_000_000)
  const { process, ended, entry } = await daemon()
  await entry("session.read")
  process.kill("SIGTERM")
  expect(await ended).toBe(0)
}, 30_000)
