import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** One file of the dashboard, as it is served. */
interface Asset {
  body: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/** The dashboard's files, which hold no data of anybody's. */
export interface Assets {
  /** The file of a path; the page itself for every path of a page. Undefined for others, and where it was not built. */
  find(path: string): Asset | undefined
}

/** Scripts, styles and requests of our own only, and nobody may put the page into a frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const safeHeaders = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
}

/** Where the build puts them: beside the program. */
const builtFolder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../dist/web/" : "./web/", import.meta.url),
)

/** A path that a page of the dashboard may have; whatever else is asked for gets nothing. */
const pagePath = /^\/(?!assets\/)(?:[\w~:%.@+-]+(?:\/[\w~:%.@+-]+)*)?$/

/** Opens the dashboard's files; only names that stand in the folder are ever read. */
export function openAssets(): Assets {
  let known: ReadonlyMap<string, string> | undefined
  const held = new Map<string, Asset>()
  return {
    find(path) {
      known ??= filesIn(builtFolder)
      const name = known.has(path) || !pagePath.test(path) ? path : "/index.html"
      const file = known.get(name)
      if (file === undefined) return undefined
      const asset = held.get(name) ?? read(name, file)
      held.set(name, asset)
      return asset
    },
  }
}

function filesIn(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  return new Map(
    names
      .filter((name) => extname(name) in types)
      .map((name) => [`/${name.replaceAll("\\", "/")}`, join(folder, name)]),
  )
}

function read(name: string, file: string): Asset {
  // Names under assets/ change with what is in them.
  const isFixed = name.startsWith("/assets/")
  const headers = {
    ...safeHeaders,
    "content-type": types[extname(name)] ?? "application/octet-stream",
    "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
  }
  return { body: new Uint8Array(readFileSync(file)), headers }
}
