// Saves one key after the other until it is killed; tells of each that is saved. Argument: the file of credentials.
import { systemClock } from "../../src/base/clock.ts"
import { systemRandom } from "../../src/base/random.ts"
import { saveKey } from "../../src/llm/signin/keys.ts"

const [credentialsFile = ""] = process.argv.slice(2)
for (let number = 0; ; number += 1) {
  // Long, so that a write takes its time; of one letter, so that a mixture of two shows.
  const letter = String.fromCharCode("a".charCodeAt(0) + (number % 26))
  const needs = { clock: systemClock, random: systemRandom, credentialsFile }
  await saveKey(needs, "openai", letter.repeat(500_000))
  process.stdout.write(`${number}\n`)
}
