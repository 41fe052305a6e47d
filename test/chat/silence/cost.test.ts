import { expect, test } from "vitest"
import { splitAddress } from "../../../src/chat/attention/address.ts"
import { commandIn } from "../../../src/chat/attention/command.ts"
import { readDecision } from "../../../src/chat/silence/decision.ts"

/** Pieces that make patterns go back and try again. */
const pieces = [
  ...[
    "[",
    "]",
    "[NO_REPLY]",
    "(",
    "[ ",
    "`",
    "```\n",
    "\n",
    " ",
    "<think>",
    "<a>",
    "{",
    '{"a":',
    '"',
    "*",
    "_",
  ],
  ...[
    "…",
    "-",
    "a ",
    "[[x]] ",
    "Error: ",
    "\u200B",
    "é",
    "</",
    "【",
    "- \n",
    "reverie ",
    "please ",
    ".",
    "! ",
  ],
]
const length = 200_000

// More than linear work on so much text would not come to its end within the time limit of a test.
test.each(pieces)(
  "reading an answer or a message made of %j takes time in proportion to its length",
  (piece) => {
    const many = piece.repeat(length / piece.length)
    for (const text of [many, `[NO_REPLY${many}x`, `x${many}[NO_REPLY]`, `reverie${many}mute`]) {
      expect(["reply", "silent", "react", "hold"]).toContain(readDecision(text).action)
      expect(splitAddress(text, ["Reverie"])).not.toBe(undefined)
      expect(commandIn(text, ["Reverie"])).not.toBe(undefined)
    }
  },
  20_000,
)

test("a sentinel at either end of a long text is found, and one in its middle is not", () => {
  const prose = "The night train was late again, and nobody knows why. ".repeat(100)
  expect(readDecision(`${prose}\n\n[NO_REPLY]`).action).toBe("silent")
  expect(readDecision(`[NO_REPLY]\n\n${prose}`).action).toBe("silent")
  expect(readDecision(`${prose} It says [NO_REPLY] there. ${prose}`).action).toBe("reply")
})
