import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import ts from "typescript"

/** A folder with more files than this hides what lives in it. */
const mostLooseFiles = 16

/** Which folder of src stores what in which tables. Inside its folder a table may be shared. */
const owners: Record<string, readonly string[]> = {
  storage: ["journal", "leases", "migrations", "memory_text", "vector_chunks"],
  llm: ["limit_readings", "model_calls", "pool_states"],
  safety: ["permission_requests", "approval_tokens", "notices", "notice_positions"],
  sessions: ["sessions", "turns"],
  memory: [
    ...["memories", "edges", "projects", "project_keys", "import_keys", "agent_losses", "gaps"],
    ...["terms", "memory_terms", "vocabulary", "spellings", "words_due", "tag_descriptions"],
    ...["vectors", "token_vectors", "vector_models", "embedding_scales"],
    ...["clusters", "cluster_runs", "garden_marks"],
  ],
  recall: ["recall_states"],
  attention: ["cycles", "cycle_messages", "queue_items", "ambient_states", "wake_requests"],
  coding: ["read_positions"],
  chat: [
    ...["chat_conversations", "chat_usage", "chat_initiative"],
    ...["chat_media", "chat_posts", "chat_post_messages", "chat_responses"],
    ...["discovery_sources", "discovery_states", "discovery_items", "discovery_links"],
  ],
}

/** The search index of each database is the half of memory's search that they cannot share (storage/search.ts). */
const searchIndex = {
  folder: /^src\/storage\/(?:sqlite|postgres)\//,
  tables: ["memories", "vectors", "vector_models"],
}

const migrationFolder = "src/storage/migrations"

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name).replaceAll("\\", "/"))
    .sort()
}

function crowdedFolders(): string[] {
  const counts = new Map<string, number>()
  for (const file of filesOf("src")) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > mostLooseFiles)
    .map(
      ([folder, count]) =>
        `${folder} holds ${count} files, and at most ${mostLooseFiles} may lie loose in a folder: sort them into folders named by what they are about.`,
    )
}

function tablesOutside(): string[] {
  const ownerOf = new Map(
    Object.entries(owners).flatMap(([folder, tables]) => tables.map((table) => [table, folder] as const)),
  )
  const tables = existingTables()
  const ownerless = tables.filter((table) => !ownerOf.has(table))
  const known = new Set([...tables, ...ownerOf.keys()])
  return [
    ...ownerless.map(
      (table) => `The table ${table} belongs to no folder: add it to the owners in scripts/check-house.ts.`,
    ),
    ...filesOf("src")
      .filter((file) => !file.startsWith(`${migrationFolder}/`))
      .flatMap((file) =>
        tablesNamed(file).flatMap(({ table, line }) => {
          const owner = ownerOf.get(table)
          if (!known.has(table) || owner === undefined || file.startsWith(`src/${owner}/`)) return []
          if (searchIndex.folder.test(file) && searchIndex.tables.includes(table)) return []
          return `${file}:${line} names the table ${table} in SQL, which only src/${owner} may: call a function of src/${owner}, or write one there.`
        }),
      ),
  ]
}

function existingTables(): string[] {
  const scripts = filesOf(migrationFolder).map((file) => readFileSync(file, "utf8"))
  const created = /create (?:virtual )?table (?:if not exists )?(\w+)/gi
  return [...new Set(scripts.flatMap((text) => [...text.matchAll(created)].map((match) => match[1] ?? "")))]
}

/** Where SQL names a table. */
const named = /\b(?:from|join|into|update|table|truncate|vacuum(?: full)?|on)\s+(?:only\s+)?(\w+)/gi
/** The second table of a list behind `from`. */
const listed = /\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*(\w+)/gi
/** A text that is a statement, whoever runs it. */
const statement =
  /^\s*(?:select\s|insert into\s|update\s+\w+\s+set\s|delete from\s|create\s|alter\s|drop\s|with\s+\w+\s+as\s*\()/

/** The words that stand in a file's SQL where a table is named. */
function tablesNamed(file: string): { table: string; line: number }[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)
  return statementsIn(source).flatMap((node) => {
    const words = textOf(node)
    return [named, listed].flatMap((pattern) =>
      [...words.matchAll(pattern)].map((match) => ({
        table: match[1] ?? "",
        line: lineOf(source, node, words, match),
      })),
    )
  })
}

/** The line of a match; line breaks inside of what is put in are not seen, so it may be a few lines early. */
function lineOf(
  source: ts.SourceFile,
  node: ts.Node,
  words: string,
  { index, 0: found }: RegExpExecArray,
): number {
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  return first + words.slice(0, index + found.length).split("\n").length - 1
}

type Text = ts.TemplateLiteral | ts.StringLiteralLike

/** The texts of a file that are SQL: `sql` templates, and whatever reads like a statement. */
function statementsIn(source: ts.SourceFile): Text[] {
  const found: Text[] = []
  const visit = (node: ts.Node): void => {
    if (isText(node) && (isTagged(node, source) || statement.test(textOf(node)))) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isText(node: ts.Node): node is Text {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

function isTagged(node: Text, source: ts.SourceFile): boolean {
  return ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText(source) === "sql"
}

/** A text with a question mark for everything that is put in. */
function textOf(node: Text): string {
  if (!ts.isTemplateExpression(node)) return node.text
  return node.head.text + node.templateSpans.map(({ literal }) => ` ? ${literal.text}`).join("")
}

/** A word that stood for a scope, a position, a path, a database and a conversation: each has a word of its own. */
const vagueName = /(?<!re)places?$/i

/** Files and types that are named by it. */
function vagueNames(): string[] {
  return filesOf("src").flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest)
    const types = source.statements.flatMap((node) =>
      ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
        ? [node.name?.text ?? ""]
        : [],
    )
    return [basename(file, ".ts"), ...types]
      .filter((name) => vagueName.test(name))
      .map(
        (name) => `${file}: ${name} says "place"; say what it is: a scope, a position, a path, a database …`,
      )
  })
}

const faults = [...crowdedFolders(), ...tablesOutside(), ...vagueNames()]
for (const fault of faults) console.log(fault)
process.exitCode = faults.length === 0 ? 0 : 1
