// One of several processes that want a valid ChatGPT token at the same time. Arguments: the issuer's address, the file
// of credentials, how often it asks. Says when it is ready, waits for a line, says that it asks, then what it got.
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { systemClock } from "../../src/base/clock.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openChatgpt } from "../../src/llm/signin/chatgpt.ts"

const [issuer = "", credentialsFile = "", times = "1"] = process.argv.slice(2)
const chatgpt = openChatgpt({ clock: systemClock, random: systemRandom, fetch, issuer, credentialsFile })
const lines = createInterface({ input: process.stdin })
process.stdout.write("ready\n")
await once(lines, "line")
process.stdout.write("asking\n")
for (let time = 0; time < Number(times); time += 1) {
  const access = await chatgpt.access()
  const told =
    access.outcome === "valid"
      ? createHash("sha256").update(access.accessToken).digest("hex")
      : access.failure.message
  process.stdout.write(`${access.outcome} ${told}\n`)
}
lines.close()
