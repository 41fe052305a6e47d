import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { builtWorkers } from "./testkit/setup/built-workers.ts"
import { folderOfRun } from "./testkit/setup/fastest-folder.ts"
import { LongestFirst } from "./testkit/setup/longest-first.ts"
import { quickStarts } from "./testkit/setup/quick-starts.ts"

/** Where scripts/test-setup puts the embedding model. */
const models = fileURLToPath(new URL("./node_modules/.cache/models", import.meta.url))

export default defineConfig({
  plugins: [builtWorkers()],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["testkit/setup/global-setup.ts"],
    setupFiles: ["testkit/setup/alone-quick.ts"],
    reporters: ["default", "./testkit/setup/tally-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // No test changes anything that another file of the same process could see: modules are loaded once, not 250 times.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Most of what a test makes is gone when it ends: with more room, less of it is looked through before that. But each
    // start of a program copies the tables of all memory in use: so the room for what is new is not larger than it helps.
    // The processors are busy: a second thread that looks for garbage only takes time from other tests.
    execArgv: [
      "--min-semi-space-size=16",
      "--max-semi-space-size=16",
      "--initial-old-space-size=300",
      "--single-threaded-gc",
    ],
    // More than there are processors: many tests wait, for programs they started or for a time limit to pass.
    maxWorkers: availableParallelism() * 3,
    // Whoever runs the tests may have Reverie of their own: their settings must not reach it.
    // Nor may their other tools, keys and sign-ins.
    env: {
      ...quickStarts(),
      REVERIE_HOME: "",
      REVERIE_DATABASE_URL: "",
      REVERIE_MODELS: models,
      NO_COLOR: "1",
      // Homes and repositories are made and gone within a test: in memory that costs a tenth less of all the time.
      TMPDIR: folderOfRun(),
      // What was compiled for one program that a test starts is there for the next: a start from source takes half as long.
      NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
      CODEX_HOME: "/nowhere/codex",
      CLAUDE_CONFIG_DIR: "/nowhere/claude",
      GEMINI_CLI_HOME: "/nowhere/gemini",
      PI_CODING_AGENT_DIR: "/nowhere/pi",
      JCODE_HOME: "/nowhere/jcode",
      XDG_DATA_HOME: "/nowhere/data",
      OPENAI_API_KEY: "",
      ANTHROPIC_API_KEY: "",
      OPENROUTER_API_KEY: "",
    },
  },
})
