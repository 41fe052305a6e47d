const takingBack =
  /^(?:no,? )?(?:wait,? )?(?:no,? )?(?:actually,? )?(?:scratch that|forget (?:that|it|what i (?:just )?said|about (?:that|it))|ignore (?:that|what i (?:just )?said|my last)|never ?mind|strike that|i take (?:that|it) back|disregard (?:that|my))/i

/** Whether a message or a sentence takes back what was said right before it. */
export function takesBack(text: string): boolean {
  return takingBack.test(text.trim())
}
