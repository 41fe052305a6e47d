/** Text that tries to give orders to whoever reads it is no evidence of anything. */
export function isSteering(text: string): boolean {
  return /\b(?:ignore|disregard|forget|override) (?:all |any |the |your )*(?:previous|prior|earlier|above|preceding) (?:instructions?|prompts?|rules?|messages?)\b|\b(?:system prompt|you must now|new instructions?:)/i.test(
    text,
  )
}
