import { globSync } from "node:fs"
import { resolve } from "node:path"
import { defineConfig } from "tsdown"

const common = {
  outDir: "dist",
  format: "esm" as const,
  platform: "node" as const,
  target: "node22",
  fixedExtension: false,
  // What the bundler finds in libraries, and how long it took, is of no use to whoever installs.
  checks: { pluginTimings: false, eval: false, ineffectiveDynamicImport: false },
  // Dependencies go into the bundle, so that a command loads a few files instead of a few hundred.
  deps: {
    alwaysBundle: [/.*/],
    neverBundle: ["@photostructure/sqlite", "onnxruntime-node", "react-devtools-core", "zlib-sync"],
    onlyBundle: false as const,
  },
}

/** Commander starts other programs for commands that are files of their own. We have none, and loading that takes 4 ms. */
const commanderWithoutPrograms = {
  name: "commander-without-programs",
  resolveId(source: string, importer: string | undefined) {
    const isAsked =
      /^(?:node:)?child_process$/.test(source) && /node_modules\/commander\//.test(importer ?? "")
    return isAsked ? "\0no-programs" : undefined
  },
  load: (id: string) => (id === "\0no-programs" ? "export default {}" : undefined),
}

/** What is there at once when somebody types a command: these files, and all that they import at the top. */
const quick = [
  "src/command-line.ts",
  "src/surfaces/cli/commands/memory/search.ts",
  "src/surfaces/cli/commands/daemon/status.ts",
]

/** What runs in threads of its own. */
const workers = {
  "embedding-worker": "src/embedding/runtime/worker.ts",
  "session-reader": "src/coding/reading/worker.ts",
  "page-reader": "src/chat/discovery/reading/worker.ts",
}

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** What checks and writes the configuration. */
const heavy = /node_modules\/(?:zod|@decimalturn)\//

/** What commands load before they open the product, if they open it. */
const commands = [...sourcesIn("src/surfaces/cli/commands"), "src/api/fingerprint.ts"]

/** What `chat setup` loads. */
const chatKeys = [
  "src/chat/channels/credentials.ts",
  "src/chat/channels/discord/check-token.ts",
  "src/chat/channels/discord/messages.ts",
  "src/chat/media/keys.ts",
]

/**
 * Who loads what, the smallest first: a chunk has what these files import and no chunk before it has, so that chunks
 * import only those before them. Those that are parts of the product have nothing else, and a light one none of
 * the heavy.
 */
const loaded: readonly { chunk: string; by: readonly string[]; isPart?: true; isLight?: true }[] = [
  { chunk: "entry", by: ["src/main.ts"] },
  { chunk: "command", by: quick },
  { chunk: "light", by: commands, isPart: true, isLight: true },
  { chunk: "config", by: sourcesIn("src/config") },
  { chunk: "commands", by: commands, isPart: true },
  { chunk: "embedding", by: [workers["embedding-worker"]], isPart: true },
  { chunk: "pages", by: sourcesIn("src/chat/discovery/reading"), isPart: true },
  { chunk: "sign-in", by: [...sourcesIn("src/llm/signin"), ...chatKeys], isPart: true },
  { chunk: "screen", by: [workers["session-reader"], "src/memory/model/project.ts"], isPart: true },
  { chunk: "memory", by: ["src/library.ts"] },
  { chunk: "product", by: ["src/local.ts"] },
]

/** Puts what is loaded together into one chunk. */
function chunkNames() {
  let chunks: [name: string, files: Set<string>][] | undefined
  return (id: string, graph: ModuleGraph) => {
    if (id === resolve("src/main.ts")) return undefined
    chunks ??= chunksOf(graph)
    return chunks.find(([, files]) => files.has(id))?.[0]
  }
}

function chunksOf(graph: ModuleGraph): [name: string, files: Set<string>][] {
  const product = importedBy(graph, ["src/local.ts"])
  const isHeavy = (id: string) => [...importedBy(graph, [id])].some((one) => heavy.test(one))
  return loaded.map(({ chunk, by, isPart, isLight }) => {
    const files = [...importedBy(graph, by)].filter((id) => !isPart || product.has(id))
    return [chunk, new Set(isLight ? files.filter((id) => !isHeavy(id)) : files)]
  })
}

function sourcesIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`)
}

function importedBy(graph: ModuleGraph, files: readonly string[]): Set<string> {
  const found = new Set(files.map((file) => resolve(file)))
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}

/**
 * Has every chunk ask for Node's own modules without `import`, which would load all that hangs on them: the streams of
 * `node:fs` take 7 ms, and `node:http` brings fetch, WebSocket and HTTP/2 along, which takes 45.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk(code: string, { name }: { name: string }) {
    // These may find themselves on a Node that is too old to be asked so.
    if (name === "main" || name === "entry") return null
    return code.replaceAll(/^import (.+) from "(node:[\w/]+)";$/gm, (line, names: string, from: string) => {
      const [all, whole, parts] = /^(?:\* as )?([\w$]+)?(?:, )?(\{.*\})?$/.exec(names) ?? []
      if (all === undefined) return line
      const module = `process.getBuiltinModule("${from}")`
      const named = parts === undefined ? [] : [`const ${parts.replaceAll(" as ", ": ")} = ${module};`]
      return [...(whole === undefined ? [] : [`const ${whole} = ${module};`]), ...named].join(" ")
    })
  },
}

export default defineConfig([
  {
    ...common,
    entry: {
      main: "src/main.ts",
      "command-line": "src/command-line.ts",
      daemon: "src/daemon.ts",
      local: "src/local.ts",
      library: "src/library-entry.ts",
      ...workers,
    },
    // React without its checks for developers, and Ink without their tools.
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.DEV": '"false"',
    },
    inputOptions: { preserveEntrySignatures: "allow-extension" },
    plugins: [commanderWithoutPrograms, lazyBuiltins],
    outputOptions: {
      // What is needed together is one file, for each file takes its time to be found.
      codeSplitting: {
        groups: [{ name: chunkNames(), includeDependenciesRecursively: false }],
      },
    },
    // ONNX Runtime as WebAssembly looks for these two beside itself. Its package has ten times as much for browsers.
    copy: ["mjs", "wasm"].map((end) => ({
      from: `node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.${end}`,
      to: "dist",
    })),
    dts: false,
    clean: true,
  },
  // What an agent's hook starts has to be there at once.
  {
    ...common,
    entry: { hook: "src/hook.ts" },
    format: "cjs" as const,
    fixedExtension: true,
    dts: false,
    clean: false,
  },
  // The library's types, which need nothing but themselves.
  {
    ...common,
    entry: { library: "src/library.ts" },
    deps: { neverBundle: [/^[^./]/] },
    treeshake: { moduleSideEffects: false },
    dts: { emitDtsOnly: true },
    clean: false,
  },
])
