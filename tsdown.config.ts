import { defineConfig } from "tsdown"

const common = {
  outDir: "dist",
  format: "esm" as const,
  platform: "node" as const,
  target: "node22",
  fixedExtension: false,
  // How long the bundler's plugins took is of no use to whoever installs.
  checks: { pluginTimings: false },
  // Dependencies go into the bundle, so that a command loads a few files instead of a few hundred.
  deps: {
    alwaysBundle: [/.*/],
    neverBundle: ["@photostructure/sqlite", "onnxruntime-node", "onnxruntime-web"],
    onlyBundle: false as const,
  },
}

export default defineConfig([
  {
    ...common,
    entry: {
      main: "src/main.ts",
      "command-line": "src/command-line.ts",
      library: "src/library-entry.ts",
      "embedding-worker": "src/embedding/runtime/worker.ts",
      "session-reader": "src/coding/reading/worker.ts",
      "page-reader": "src/chat/discovery/reading/worker.ts",
    },
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
