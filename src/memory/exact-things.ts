/** Numbers, paths, addresses, options and code in a text, in lower case and in their order: no wording changes these. */
export function exactThings(content: string): string[] {
  const found =
    content.match(/`[^`]+`|https?:\/\/\S+|[\w.@~-]*\/[\w./@-]+|(?<!\S)--?\w[\w-]*|\b\d[\d.]*\b/g) ?? []
  return found
    .map((thing) =>
      thing
        .replaceAll("`", "")
        .replace(/[.,;:)]+$/, "")
        .toLowerCase(),
    )
    .filter(Boolean)
}
