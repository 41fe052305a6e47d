// Imports go one way through the folders of src. The order is the architecture; see docs/architecture.md.
const layers = [
  [
    "base",
    "knows nothing of Reverie: clock, randomness, errors, text. If it needs to know more, it belongs higher up.",
  ],
  ["config", "turns files and environment into one checked configuration. It may use base only."],
  [
    "storage",
    "is the two databases and the journal. It knows rows, not what a memory means: put meaning into memory.",
  ],
  ["llm", "asks models and counts what they cost. It must not know what they are asked for."],
  ["memory", "is what is known, how it gets in and how it is found. It is usable alone, as a library."],
  ["attention", "decides when to think. What is thought about belongs to coding, chat or activities."],
  ["coding", "senses sessions and git. It reports down into storage and memory, and never knows chat."],
  ["chat", "senses channels. It reports down into storage and memory, and never knows coding."],
  [
    "activities",
    "is the only place where memory, attention, coding and chat meet. It must not know who asks.",
  ],
  ["api", "is the one door, HTTP in and out. Surfaces come through it; it must not know any of them."],
  [
    "surfaces",
    "are clients of the door: CLI, TUI, MCP, hooks. They get everything else handed in by main.ts.",
  ],
]
/** Layers at the same height, which do not know each other. */
const siblings = { coding: "chat", chat: "coding" }

const layerRules = layers.map(([name, why], index) => {
  const above = layers.slice(index + 1).map(([other]) => other)
  const forbidden = [...above, ...(siblings[name] ? [siblings[name]] : [])]
  return {
    name: `${name}-looks-down`,
    comment: `src/${name} ${why} Import goes down only: base < config < storage < llm < memory < attention < coding | chat < activities < api < surfaces. Move the code down, or hand it in as an argument from src/daemon.ts.`,
    severity: "error",
    from: { path: `^src/${name}/` },
    to: { path: `^src/(${[...new Set(forbidden)].join("|")})/|^src/(main|daemon|library|parts)\\.ts$` },
  }
})
// The last layer has none above it, but the composition root is out of reach for it too.

export default {
  forbidden: [
    ...layerRules,
    {
      name: "no-circles",
      comment: "Two files that import each other are one file, or miss a third that both can use.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "one-composition-root",
      comment: "Only src/main.ts may load src/daemon.ts: everything else gets what it needs as an argument.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/main\\.ts$" },
      to: { path: "^src/daemon\\.ts$" },
    },
    {
      name: "parts-for-roots",
      comment:
        "src/parts.ts chooses implementations for src/daemon.ts and src/library.ts; everything else gets what it needs as an argument.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(daemon|library|library-entry)\\.ts$" },
      to: { path: "^src/(parts|library)\\.ts$" },
    },
    {
      name: "product-without-tests",
      comment: "The product must not need what is only there for tests, benchmarks and tools.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts)/" },
    },
    {
      name: "declared-dependencies",
      comment:
        "Packages used by src belong into `dependencies` of package.json (and a note in docs/decisions).",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "unknown"], pathNot: "node_modules/@types/" },
    },
    ...[
      ["pg", "^src/storage/postgres"],
      ["@photostructure/sqlite", "^src/storage/sqlite-binding\\.ts$"],
      ["hono|@hono/node-server", "^src/api/"],
      ["commander", "^src/surfaces/cli/"],
      ["@modelcontextprotocol/server", "^src/surfaces/mcp/"],
      ["onnxruntime-(node|web)", "^src/memory/embedding/runtime\\.ts$"],
      ["@decimalturn/toml-patch", "^src/config/toml\\.ts$"],
      ["@secretlint/[a-z-]+", "^src/memory/privacy/second-opinion\\.ts$"],
    ].map(([vendor, home]) => ({
      name: `${vendor.replaceAll(/[^a-z]+/g, "-")}-at-home`.replace(/^-/, ""),
      comment: `The library ${vendor} has one home (${home}), so that replacing it means editing one place.`,
      severity: "error",
      from: { path: "^src/", pathNot: `${home}|^src/daemon\\.ts$` },
      to: { path: `node_modules/(${vendor})/`, dependencyTypesNot: ["type-only"] },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    includeOnly: "^(src|test|bench|scripts|node_modules|package\\.json)",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
}
