import type { Clause } from "../../../language/read/clauses.ts"

const script =
  /(?:^|\s|&&\s*|·)(?:(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+run(?:-script)?|npm\s+(?=test\b|start\b)|(?:pnpm|yarn)\s+(?=[\w:-]+\s*$))\s*(?:-\S+\s+)*([A-Za-z][\w:.-]*)/g
const target = /(?:^|\s|&&\s*)make\s+((?!-)[A-Za-z][\w.-]*)\s*(?=$|&|\||;|\s)/g

/** What package managers do by themselves. */
const ownCommands = new Set(
  `add install i ci remove rm uninstall update up upgrade exec dlx create init publish pack link unlink audit outdated
  why list ls info view config cache login logout dedupe prune rebuild import patch set global version versions workspace
  workspaces node bin root fetch store env help build`.split(/\s+/),
)

/** Words that may follow "make" in running text. */
const notTargets = new Set(
  "sure it the a an them this that changes use sense no one new things all any any more every up".split(" "),
)

/** The scripts of package.json that a clause names as commands. */
export function scriptsIn({ words, spans }: Clause): string[] {
  const texts = [...spans.map(({ text }) => text), words]
  const found = texts.flatMap((text) =>
    [...text.matchAll(script)].flatMap(([whole, name = ""]) => {
      const isRun = /\brun(?:-script)?\b|npm\s+(?:test|start)/.test(whole)
      return !isRun && ownCommands.has(name) ? [] : [name.replace(/[.:]+$/, "")]
    }),
  )
  return [...new Set(found)]
}

/** The targets of the Makefile that a clause names as commands; in running text only after a word such as run. */
export function targetsIn({ words, spans }: Clause): string[] {
  const inSpans = spans.flatMap(({ text }) => [...text.matchAll(target)].map(([, name = ""]) => name))
  const told = [
    ...words.matchAll(/\b(?:run|runs|with|by|via|use|using|call|calls)\s+make\s+([a-z][\w.-]*)/gi),
  ]
  const inProse = told
    .map(([, name = ""]) => name.replace(/\.+$/, ""))
    .filter((name) => !notTargets.has(name))
  return [...new Set([...inSpans, ...inProse])]
}
