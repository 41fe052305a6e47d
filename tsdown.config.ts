import { defineConfig } from "tsdown"

export default defineConfig({
  entry: { main: "src/main.ts", "embedding-worker": "src/memory/embedding/worker.ts" },
  outDir: "dist",
  format: "esm",
  platform: "node",
  target: "node22",
  fixedExtension: false,
  // Dependencies go into the bundle, so that a command loads a few files instead of a few hundred.
  deps: {
    alwaysBundle: [/.*/],
    neverBundle: ["@photostructure/sqlite", "onnxruntime-node", "onnxruntime-web"],
    onlyBundle: false,
  },
  dts: false,
  clean: true,
})
