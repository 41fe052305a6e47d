import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const pages = ["", "docs", "docs/decisions"].flatMap((folder) =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".md") ? [join(folder, name)] : [])),
)
/** What agents read, and what is made for the package alone. */
const apart = ["AGENTS.md", "THIRD-PARTY-NOTICES.md"]
const textOf = (page: string) => readFileSync(join(root, page), "utf8").replace(/```.*?```/gs, "")

/** The links of a page that lead to files and headings of the repository: where to, and to which heading. */
function linksOf(page: string): { file: string; heading: string | undefined }[] {
  return [...textOf(page).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = "", heading]) => ({
      file: path === "" ? page : normalize(join(dirname(page), path)),
      heading,
    }),
  )
}

/** The headings of a page as links name them. */
function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  )
}

describe("The documents", () => {
  test("link only to files and headings that are there", () => {
    const broken = pages.flatMap((page) =>
      linksOf(page).flatMap(({ file, heading }) => {
        if (!existsSync(join(root, file))) return [`${page}: ${file}`]
        return heading === undefined || !file.endsWith(".md") || headingsOf(file).includes(heading)
          ? []
          : [`${page}: ${file}#${heading}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test("can all be reached from the README", () => {
    const reached = new Set(["README.md"])
    for (const page of reached)
      for (const { file } of linksOf(page))
        if (file.endsWith(".md") && pages.includes(file)) reached.add(file)
    const lost = pages.filter(
      (page) => !reached.has(page) && !apart.includes(page) && !page.startsWith("docs/decisions/"),
    )
    expect(lost).toEqual([])
  })
})
