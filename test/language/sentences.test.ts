import { expect, test } from "vitest"
import { sentencesOf } from "../../src/language/read/sentences.ts"

const texts = (text: string) => sentencesOf(text).map((sentence) => sentence.text)

test.each([
  ["Node 22. Builds go through Jenkins.", ["Node 22", "Builds go through Jenkins"]],
  ["The retry limit is 5. We use Prettier.", ["The retry limit is 5", "We use Prettier"]],
  ["The answer is no. It stays so.", ["The answer is no", "It stays so"]],
  ["See no. 5 of the list. It holds.", ["See no. 5 of the list", "It holds"]],
  [
    "We use tabs, etc. in Go files. The rest has spaces.",
    ["We use tabs, etc. in Go files", "The rest has spaces"],
  ],
  ["We lint, format, etc. Tests run later.", ["We lint, format, etc", "Tests run later"]],
  [
    "Dr. Mbeki decides, e.g. on Node 22.13. Ask first.",
    ["Dr. Mbeki decides, e.g. on Node 22.13", "Ask first"],
  ],
  ["First this: 1. Install it. 2. Start it.", ["First this: 1", "Install it", "2. Start it"]],
  ["Wir liefern am 3. Mai aus. Danach ist Pause.", ["Wir liefern am 3. Mai aus", "Danach ist Pause"]],
  ["Run `a. b` first. Then `c. d`.", ["Run `a. b` first", "Then `c. d`"]],
  ["The key is ` on that keyboard. It is left. Ask.", ["The key is ` on that keyboard", "It is left", "Ask"]],
])("%s", (text, expected) => {
  expect(texts(text)).toEqual(expected)
})
