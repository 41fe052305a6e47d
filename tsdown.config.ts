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

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** Puts the quick files into one chunk; what the entry itself imports is another, for it is smaller still. */
function quickChunk() {
  let apart: Set<string> | undefined
  let chosen: Set<string> | undefined
  return (id: string, graph: ModuleGraph) => {
    apart ??= importedBy(graph, ["src/main.ts"])
    chosen ??= importedBy(graph, quick)
    if (apart.has(id)) return id === resolve("src/main.ts") ? undefined : "entry"
    return chosen.has(id) ? "command" : undefined
  }
}

function importedBy(graph: ModuleGraph, files: readonly string[]): Set<string> {
  const found = new Set(files.map((file) => resolve(file)))
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next)
  return found
}

/**
 * Has the quick files ask for Node's own modules without `import`, which would load all that hangs on them: the streams
 * of `node:fs` alone take 7 ms.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk(code: string, { name }: { name: string }) {
    if (name !== "command") return null
    return code.replaceAll(/^import (.+) from "(node:[\w/]+)";$/gm, (_line, names: string, from: string) => {
      const [, whole, parts] = /^([\w$]+)?(?:, )?(\{.*\})?$/.exec(names) ?? []
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
      "embedding-worker": "src/embedding/runtime/worker.ts",
      "session-reader": "src/coding/reading/worker.ts",
      "page-reader": "src/chat/discovery/reading/worker.ts",
    },
    // React without its checks for developers, and Ink without their tools.
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.DEV": '"false"',
    },
    inputOptions: { preserveEntrySignatures: "allow-extension" },
    plugins: [commanderWithoutPrograms, lazyBuiltins],
    outputOptions: {
      // What every command needs is one file, for each file takes its time to be found.
      codeSplitting: {
        groups: [{ name: quickChunk(), includeDependenciesRecursively: false }],
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
