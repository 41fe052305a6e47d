/** Numbers, paths, addresses, options and code in a text, in lower case and in their order: no wording changes these. */
export function exactThings(content: string): string[] {
  const found =
    content.match(
      // A path begins where a run of its signs does: looking from every sign of a long run would take for ever.
      /`[^`]+`|https?:\/\/\S+|(?<![\w.@~-])[\w.@~-]*\/[\w./@~-]+|(?<!\S)--?\w[\w-]*|\b\d[\d.]*\b/g,
    ) ?? []
  return found
    .map((thing) =>
      thing
        .replaceAll("`", "")
        .replace(/(?<![.,;:)])[.,;:)]+$/, "")
        .toLowerCase(),
    )
    .filter(Boolean)
}
