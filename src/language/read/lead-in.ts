const words =
  "ok|okay|k|good|great|nice|cool|perfect|fine|thanks|thank you|thx|ty|btw|by the way|fyi|also|and|but|so|well|please|pls|hey|hi|hello|hm+|ah|oh|alright|right|yes|yeah|yep|one thing|one more thing|one thing though|one rule|one note|a rule|rule|quick note|note|side note|again|just|important|let me be clear|to be clear|as i said|like i said|remember|tbh|listen|look|looks good|lgtm|good job|good point|good arguments|got it|makes sense|the pr looks good"

const leadIn = new RegExp(
  String.raw`^(?:${words})(?:\s*[,:!.–—-]+\s+|\s+(?=(?:please|pls|but|and|so|also|btw)\b))`,
  "i",
)
const bare =
  /^(?:please|pls|also|and|but|so|btw|fyi|ok|okay|just|in general|generally|generally speaking)[,\s]+/i

/** Removes introductory words: "ok, and please never …" becomes "never …". */
export function withoutLeadIn(text: string): string {
  let rest = text
  for (;;) {
    const next = rest.replace(leadIn, "").replace(bare, "")
    if (next === rest) return rest
    rest = next
  }
}

/** Removes trailing words: "i prefer rebase tbh" becomes "i prefer rebase". */
export function withoutTrail(text: string): string {
  return text
    .replace(/[\s,]+(?:please|pls|tbh|thanks|thx|ok\??|okay|imo|imho|anyway|then|though|btw)$/i, "")
    .trim()
}
