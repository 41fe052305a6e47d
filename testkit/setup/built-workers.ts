import type { Plugin } from "vite"

const dist = new URL("../../dist/", import.meta.url).href

/** How the source names a thread or process of its own: the file beside it, or the built one. */
const named =
  /import\.meta\.url\.endsWith\("\.ts"\) \? "\.\/worker\.ts" : "\.\/([\w-]+\.js)",\s*import\.meta\.url/

/**
 * Has tests of the source start the built threads and processes. They are the same code, built just before, and one file
 * each: to strip the types of the source and of hundreds of modules takes five times as long at every start.
 */
export function builtWorkers(): Plugin {
  return {
    name: "built-workers",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("/src/") || !named.test(code)) return null
      return code.replace(named, (_all, file: string) => `"${file}", ${JSON.stringify(dist)}`)
    },
  }
}
