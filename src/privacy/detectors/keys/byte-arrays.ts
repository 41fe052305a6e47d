import type { Finding } from "../../finding.ts"

/** Sixteen or more bytes in brackets; the closing bracket may be missing. */
const arrays =
  /[[({][ \t\r\n]{0,8}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,2},\s{0,12}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,511}(?![\d.])[ \t\r\n]{0,8}[\])}]?/gi
const names =
  /key|secret|seed|solana|wallet|private|id\.json|entropy|mnemonic|cipher|aes|passw|psk|nonce_?key|pan_?id|credential|encrypt|decrypt|signer|token|salt|pepper|hmac/i
const open =
  /public|pub_?key|pixel|colou?r|rgb|image|vector|embedding|histogram|weights|samples|ports?\b|ids\b/i
const reach = 100

/** Finds keys written as lists of bytes, if the words before them name a key. */
export function findByteArrays(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: array, index } of text.matchAll(arrays)) {
    const before = text.slice(Math.max(0, index - reach), index)
    if (names.test(before) && !open.test(before) && isBytes(array))
      found.push({ kind: "key", start: index, end: index + array.trimEnd().length })
  }
  return found
}

/** Whether the numbers look like random bytes: below 256, some above 127, few repeated. */
function isBytes(array: string): boolean {
  const numbers = array.match(/0x[0-9a-f]+|\d+/gi)?.map(Number) ?? []
  const isInRange = numbers.every((number) => number < 256)
  const distinct = new Set(numbers).size
  return isInRange && distinct >= Math.min(12, numbers.length * 0.6) && numbers.some((number) => number > 127)
}
