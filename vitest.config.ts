import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Where scripts/test-setup puts the embedding model. */
const models = fileURLToPath(new URL("./node_modules/.cache/models", import.meta.url))

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["testkit/setup/global-setup.ts"],
    reporters: ["default", "./testkit/setup/tally-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the default: these tests mostly wait for programs they started.
    maxWorkers: "100%",
    // Whoever runs the tests may have Reverie of their own: their settings must not reach it.
    // Nor may their other tools, keys and sign-ins.
    env: {
      REVERIE_HOME: "",
      REVERIE_DATABASE_URL: "",
      REVERIE_MODELS: models,
      NO_COLOR: "1",
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
