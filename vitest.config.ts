import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default", "./test/support/tally-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Whoever runs the tests may have Reverie of their own: their settings must not reach it.
    env: { REVERIE_HOME: "", REVERIE_DATABASE_URL: "", NO_COLOR: "1" },
  },
})
