import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

// Tests build too: what is shipped is what is tested.
process.env.NODE_ENV = "production"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Builds the dashboard into dist/web. It loads no files from other hosts. */
export default defineConfig({
  root: here("."),
  base: "/",
  logLevel: "warn",
  build: {
    outDir: here("../dist/web"),
    emptyOutDir: true,
    target: "es2022",
    // Inline files would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
})
