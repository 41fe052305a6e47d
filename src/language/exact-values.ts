/** Numbers, paths, addresses, options and code in a text, in lower case and in order: a rewording must keep them. */
export function exactValues(content: string): string[] {
  const found =
    content.match(
      // A path starts at the beginning of a run of its characters; trying every character would be too slow.
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
