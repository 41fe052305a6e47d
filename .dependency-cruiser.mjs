// Imports go one way through the folders of src, and through the rooms of src/memory. The order is the architecture; see
// docs/architecture.md. Folders in one row do not know each other.
const rows = [
  {
    base: "knows nothing of Reverie: clock, randomness, errors, text. If it needs to know more, it belongs higher up.",
  },
  { config: "turns files and environment into one checked configuration. It may use base only." },
  {
    storage:
      "is the two databases and the journal. It knows rows, not what a memory means: put meaning into memory.",
  },
  { git: "is the one place that starts git, and finds repositories." },
  {
    privacy: "takes secrets and personal data out of a text. It knows nothing of memories.",
    embedding: "turns texts into vectors. It knows nothing of memories.",
    language: "reads and compares statements. It knows nothing of memories.",
  },
  { judgement: "asks the small trained model about sentences and pairs. It knows texts, not memories." },
  { llm: "asks models and counts what they cost. It must not know what they are asked for." },
  {
    safety:
      "decides whether a call of a model may run, and asks a person where it must. It knows tools by their declaration only.",
  },
  {
    sessions:
      "is what a session and a turn are, how they are stored and handed on. Who reads them stands above.",
  },
  { memory: "is what is known, how it gets in and how it is found. It is usable alone, as a library." },
  { recall: "brings memories up in a session without being asked. It knows memory, not who asks." },
  { attention: "decides when to think. What is thought about belongs to coding, chat or activities." },
  {
    coding:
      "reads the tools' sessions, and git. It reports down into storage and memory, and never knows chat.",
    chat: "senses channels. It reports down into storage and memory, and never knows coding.",
  },
  { tools: "is what a model may call, each tool with its tier. Who lets a model call them stands above." },
  {
    activities: "is the only place where memory, attention, coding and chat meet. It must not know who asks.",
  },
  { api: "is the one way in, over HTTP. Surfaces come through it; it must not know any of them." },
  {
    surfaces:
      "are clients of the API: CLI, TUI, MCP, hooks. They get everything else handed in by command-line.ts.",
  },
]

const memoryRows = [
  { model: "is what a memory is and how it is stored." },
  { find: "finds memories.", topics: "sorts memories into clusters and tags." },
  { write: "is the one way into memory." },
  {
    extract: "reads what a session says.",
    history: "tells what happened to memories, and takes it back.",
  },
  { transfer: "brings memories in and out as files." },
  { garden: "tends the whole graph." },
]

/** One rule for each folder: it must not import from the rows after its own, nor from its neighbours in the row. */
function orderRules(folder, order, outside) {
  const text = order.map((row) => Object.keys(row).join(" | ")).join(" < ")
  return order.flatMap((row, index) =>
    Object.entries(row).map(([name, why]) => {
      const above = order.slice(index + 1).flatMap((later) => Object.keys(later))
      const beside = Object.keys(row).filter((other) => other !== name)
      const forbidden = [...beside, ...above].map((other) => `^${folder}/${other}/`)
      return {
        name: `${folder.replaceAll("/", "-")}-${name}-looks-down`,
        comment: `${folder}/${name} ${why} Import goes down only: ${text}. Move the code down, or hand it in as an argument.`,
        severity: "error",
        from: { path: `^${folder}/${name}/` },
        to: { path: [...forbidden, ...outside].join("|") },
      }
    }),
  )
}

const layerRules = [
  ...orderRules("src", rows, ["^src/(main|command-line|daemon|library|parts)\\.ts$"]),
  // The last room has none above it.
  ...orderRules("src/memory", memoryRows, []).filter(({ to }) => to.path !== ""),
]

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
      comment:
        "Only src/command-line.ts may load src/daemon.ts and src/local.ts: everything else gets what it needs as an argument.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(command-line|daemon)\\.ts$" },
      to: { path: "^src/(daemon|local)\\.ts$" },
    },
    {
      name: "parts-for-roots",
      comment:
        "src/parts.ts and src/product.ts choose implementations for src/daemon.ts, src/local.ts and src/library.ts; everything else gets what it needs as an argument.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(daemon|local|product|library|library-entry)\\.ts$" },
      to: { path: "^src/(parts|product|library)\\.ts$" },
    },
    {
      name: "web-by-the-client",
      comment:
        "The dashboard gets all its data by the typed client of the API: it may load src/api/client.ts, src/base/random.ts and src/privacy/kind-names.ts, and types of src/api/contract.",
      severity: "error",
      from: { path: "^web/" },
      to: {
        path: "^(src|test|testkit|bench|scripts)/",
        pathNot: "^src/(api/(client|contract/[a-z-]+)|base/random|privacy/kind-names)\\.ts$",
      },
    },
    {
      name: "web-contract-types-only",
      comment:
        "What travels through the API is known to the dashboard as types: the schemas stay with the daemon.",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^src/api/contract/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "client-for-browsers",
      comment: "src/api/client.ts also runs in web pages, so nothing it loads may need Node.",
      severity: "error",
      from: {
        path: "^src/(api/(client|ask|session-header|contract/calls|answers/(answer|lines))|base/(errors|random|text/(text|invisible))|privacy/kind-names)\\.ts$",
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "product-without-tests",
      comment: "The product must not need what is only there for tests, benchmarks and tools.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(web|test|testkit|bench|scripts)/" },
    },
    {
      name: "tests-and-benchmarks-apart",
      comment: "What tests and benchmarks both need belongs into testkit.",
      severity: "error",
      from: { path: "^(bench|testkit)/" },
      to: { path: "^test/" },
    },
    {
      name: "testkit-alone",
      comment: "testkit serves tests and benchmarks; what it needs of a benchmark belongs into testkit.",
      severity: "error",
      from: { path: "^(test/(?!bench/)|testkit/)" },
      to: { path: "^bench/" },
    },
    {
      name: "declared-dependencies",
      comment:
        "Packages used by src belong into package.json (and a note in docs/decisions): into `devDependencies` where the bundle holds them, into `dependencies` where it cannot.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-no-pkg", "unknown"], pathNot: "node_modules/@types/" },
    },
    ...[
      ["pg", "^src/storage/postgres/"],
      ["@photostructure/sqlite", "^src/storage/sqlite/binding\\.ts$"],
      ["hono|@hono/node-server", "^src/api/"],
      ["commander", "^src/surfaces/cli/"],
      ["ink|react", "^src/surfaces/tui/"],
      ["@modelcontextprotocol/server", "^src/surfaces/mcp/"],
      ["onnxruntime-(node|web)", "^src/embedding/runtime/runtime\\.ts$"],
      ["eld", "^src/embedding/runtime/language\\.ts$"],
      ["@huggingface/tokenizers", "^src/embedding/runtime/sentence-pieces\\.ts$"],
      ["discord\\.js", "^src/chat/channels/discord/"],
      ["irc-framework", "^src/chat/channels/irc/"],
      ["feedsmith", "^src/chat/discovery/reading/parse-feed\\.ts$"],
      ["linkedom|@mozilla/readability", "^src/chat/discovery/reading/parse-page\\.ts$"],
      ["@decimalturn/toml-patch", "^src/config/toml\\.ts$"],
      ["nodemailer", "^src/safety/notify/channels/email\\.ts$"],
      ["diff", "^src/base/text/line-diff\\.ts$"],
      ["@octokit/request", "^src/coding/work/publish/pull-request\\.ts$"],
      ["@secretlint/[a-z-]+", "^src/privacy/secretlint-scan\\.ts$"],
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
    includeOnly: "^(src|web|test|testkit|bench|scripts|node_modules|package\\.json)",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
}
