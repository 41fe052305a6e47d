/** What a readable export is made of beside its texts, to write it and to know it again. */

export const markdownTitle = "# What Reverie remembers"
/** The headings that are no project's. */
export const everywhere = "Everywhere"
export const singleSessions = "Single sessions"

/** The mark at the end of each memory: its id, and who it is for if not everybody may see it. */
export function markOf({ id, audience }: { id: string; audience: string | null }): string {
  if (audience === null) return `<!-- ${id} -->`
  return `<!-- ${id} for ${audience.replaceAll(/[%>\r\n]/g, encodeURIComponent)} -->`
}

const markAtEnd = / ?<!-- (m_[0-9a-z]+)(?: for ([^>]+))? -->$/

/** What the mark at the end of a line says, if there is one. */
export function readMark(line: string): { id: string; audience: string | undefined } | undefined {
  const [, id, audience] = markAtEnd.exec(line) ?? []
  return id === undefined ? undefined : { id, audience: audience && decoded(audience) }
}

/** A text without the mark at its end. */
export function withoutMark(text: string): string {
  return text.replace(markAtEnd, "")
}

function decoded(audience: string): string {
  try {
    return decodeURIComponent(audience)
  } catch {
    return audience
  }
}
