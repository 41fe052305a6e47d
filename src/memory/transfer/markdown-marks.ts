/** The first line of a Markdown export; imports recognise it by this. */
export const markdownTitle = "# What Reverie remembers"
/** The section headings that are not projects. */
export const everywhere = "Everywhere"
export const singleSessions = "Single sessions"

/** The mark at the end of each memory: its id, and its audience if it has one. */
export function markOf({ id, audience }: { id: string; audience: string | null }): string {
  if (audience === null) return `<!-- ${id} -->`
  return `<!-- ${id} for ${audience.replaceAll(/[%>\r\n]/g, encodeURIComponent)} -->`
}

const markAtEnd = / ?<!-- (m_[0-9a-z]+)(?: for ([^>]+))? -->$/

/** The id and audience in the mark at the end of a line, if there is one. */
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
