import { cleanTags } from "../../model/memory.ts"

/** File extensions by language. */
const languages: Record<string, string> = Object.fromEntries(
  Object.entries({
    typescript: "ts tsx mts cts",
    javascript: "js jsx mjs cjs",
    python: "py pyi ipynb",
    rust: "rs",
    go: "go",
    java: "java",
    kotlin: "kt kts",
    ruby: "rb",
    php: "php",
    csharp: "cs",
    c: "c h",
    cpp: "cc cpp cxx hpp hh",
    swift: "swift",
    scala: "scala",
    elixir: "ex exs",
    haskell: "hs",
    lua: "lua",
    shell: "sh bash zsh fish",
    sql: "sql",
    html: "html htm",
    css: "css scss less",
    svelte: "svelte",
    vue: "vue",
    terraform: "tf",
    protobuf: "proto",
    docs: "md mdx rst adoc",
  }).flatMap(([language, endings]) => endings.split(" ").map((ending) => [ending, language])),
)

/** Folders that most projects have, or that contain generated files. */
const plainFolders = new Set(
  (
    "src source sources lib libs app apps packages pkg internal cmd crates modules module main core common shared " +
    "utils util helpers java kotlin python js ts web server client frontend backend api code project projects " +
    "dist build out target bin obj node_modules vendor third_party tmp temp"
  ).split(" "),
)

/**
 * The tags that file paths suggest: the languages, and for each file its first folder that is not a common one. `root`
 * is the project's folder, for absolute paths.
 */
export function tagsFromFiles(files: readonly string[], root: string | null): string[] {
  return cleanTags(files.flatMap((file) => [...languageOf(file), ...folderOf(file, root)]))
}

function languageOf(file: string): string[] {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase()
  const language = ending === undefined ? undefined : languages[ending]
  return language === undefined ? [] : [language]
}

function folderOf(file: string, root: string | null): string[] {
  const path = file.replaceAll("\\", "/")
  const start = root ? `${root.replaceAll("\\", "/")}/` : undefined
  const within = start && path.startsWith(start) ? path.slice(start.length) : path
  // An absolute path outside the project begins with unrelated folders.
  if (/^(\/|~|[a-z]:)/i.test(within)) return []
  const folders = within.split("/").slice(0, -1)
  const specific = folders.find(
    (folder) => /^\p{L}[\p{L}\p{N}_-]{2,29}$/u.test(folder) && !plainFolders.has(folder.toLowerCase()),
  )
  return specific === undefined ? [] : [specific]
}
