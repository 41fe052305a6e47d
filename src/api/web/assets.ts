import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** One file of the dashboard, as it is served. */
interface Asset {
  body: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/** The dashboard's files. They contain no user data. */
export interface Assets {
  /** The file of a path; index.html for every path of a page. Undefined for other paths, or without a build. */
  find(path: string): Asset | undefined
}

/** Allows only our own scripts, styles and requests, and no frames. */
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

/** The build puts them next to the program. */
const builtFolder = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../dist/web/" : "./web/", import.meta.url),
)

/** Paths that a page of the dashboard may have. */
const pagePath = /^\/(?!assets\/)(?:[\w~:%.@+-]+(?:\/[\w~:%.@+-]+)*)?$/

/** Opens the dashboard's files. Reads only names that the folder contains. */
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
  // Names under assets/ contain a hash of the file.
  const isFixed = name.startsWith("/assets/")
  const headers = {
    ...safeHeaders,
    "content-type": types[extname(name)] ?? "application/octet-stream",
    "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
  }
  return { body: new Uint8Array(readFileSync(file)), headers }
}
