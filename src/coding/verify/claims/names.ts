/** What people call things, by what manifests call them. Names are in lower case. */
const aliases: Record<string, readonly string[]> = {
  "node.js": ["node"],
  nodejs: ["node"],
  golang: ["go"],
  "next.js": ["next"],
  nextjs: ["next"],
  "vue.js": ["vue"],
  nuxt: ["nuxt", "nuxt3"],
  "express.js": ["express"],
  nestjs: ["@nestjs/core"],
  "nest.js": ["@nestjs/core"],
  nest: ["@nestjs/core"],
  angular: ["@angular/core"],
  svelte: ["svelte"],
  tailwind: ["tailwindcss"],
  "tailwind css": ["tailwindcss"],
  "react router": ["react-router", "react-router-dom"],
  "react query": ["@tanstack/react-query", "react-query"],
  "react native": ["react-native"],
  "react hook form": ["react-hook-form"],
  "react testing library": ["@testing-library/react"],
  "testing library": ["@testing-library/react", "@testing-library/dom"],
  "material ui": ["@mui/material"],
  playwright: ["@playwright/test", "playwright"],
  biome: ["@biomejs/biome"],
  storybook: ["storybook", "@storybook/react"],
  prisma: ["prisma", "@prisma/client"],
  "drizzle orm": ["drizzle-orm"],
  drizzle: ["drizzle-orm"],
  redux: ["redux", "@reduxjs/toolkit"],
  apollo: ["@apollo/client", "@apollo/server"],
  babel: ["@babel/core"],
  sentry: ["@sentry/node", "@sentry/browser", "@sentry/react", "sentry-sdk"],
  postcss: ["postcss"],
  sqlalchemy: ["sqlalchemy"],
  rails: ["rails"],
  "ruby on rails": ["rails"],
}

/** Every name under which a manifest may know what a person named. */
export function namesOf(told: string): string[] {
  const name = told.toLowerCase()
  const own = [name, name.replaceAll(" ", "-"), name.replaceAll(/[_.]+/g, "-")]
  return [...new Set([...(aliases[name] ?? []), ...own])]
}
