import { readFileSync } from "node:fs"

/** The folder of programs that `reverie connect` installs: next to the source, or next to the built program. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../../assets/connect/" : "../assets/connect/",
  import.meta.url,
)

/** A file of `assets/connect` with its placeholders filled in. */
export function connectAsset(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(name, folder), "utf8")
  return Object.entries(values).reduce((filled, [mark, value]) => filled.replace(mark, () => value), text)
}
