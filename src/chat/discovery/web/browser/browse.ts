import { chownSync, existsSync } from "node:fs"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Clock } from "../../../../base/clock.ts"
import { openCheckingProxy } from "../../../../base/net/safe-fetch/checking-proxy.ts"
import { type AddressPolicy, publicOnly } from "../../../../base/net/safe-fetch/public-address.ts"
import { systemResolve } from "../../../../base/net/safe-fetch/safe-fetch.ts"
import type { Resolve } from "../../../../base/net/safe-fetch/send-request.ts"
import { withTimeout } from "../../../../base/with-timeout.ts"
import { runProgram } from "../../../../llm/bridges/run-program.ts"
import type { ReadPage } from "../../reading/parse-page.ts"
import type { Reader } from "../../reading/reader.ts"
import type { Robots } from "../robots.ts"

interface BrowseNeeds {
  clock: Clock
  reader: Reader
  robots: Robots
  /** The path of Chromium. */
  chromium: string
  policy?: AddressPolicy | undefined
  resolve?: Resolve | undefined
}

/** Only paths that system packages install to. */
const paths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]

/** The path of Chromium; undefined if it is not installed, or its sandbox does not work on this system. */
export function findChromium(): string | undefined {
  return process.platform === "linux" ? paths.find((path) => existsSync(path)) : undefined
}

const longestText = 20_000
const longestMs = 30_000
const mostBytes = 20_000_000
/** As root, the browser runs as nobody: its sandbox works only for ordinary users. */
const nobody = { uid: 65_534, gid: 65_534 }

/**
 * Reads a page as a browser shows it, scripts included. Chromium runs in its own sandbox with an empty profile, and reaches
 * the network only through a proxy that refuses everything but public addresses.
 */
export async function browsePage(
  needs: BrowseNeeds,
  address: string,
  { gapMs, signal }: { gapMs: number; signal: AbortSignal },
): Promise<(ReadPage & { link: string }) | { problem: string }> {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return { problem: "The page was not read: that is not a plain web address." }
  if (!(await needs.robots.allows(url.href, { gapMs, signal })))
    return { problem: "The page was not read: its robots.txt forbids it, or the site could not be asked." }
  const shown = await dumpPage(needs, url.href, signal)
  if (shown === undefined) return { problem: "The page was not read: the browser could not show it in time." }
  const job = { contentType: "text/html; charset=utf-8", longest: longestText }
  const page = await needs.reader.page({ ...job, body: Buffer.from(shown) })
  if ("problem" in page) return { problem: `The page was not read: ${page.problem}.` }
  if (page.text.trim() === "")
    return { problem: "The page was not read: it is empty, or it cannot be reached." }
  return { ...page, link: url.href }
}

/** The HTML of a page as Chromium renders it; undefined if it fails. */
async function dumpPage(needs: BrowseNeeds, url: string, signal: AbortSignal): Promise<string | undefined> {
  const { clock, chromium, policy = publicOnly, resolve = systemResolve } = needs
  const proxy = await openCheckingProxy({ policy, resolve, mostBytes })
  const folder = await mkdtemp(join(await realpath(tmpdir()), "reverie-browser-"))
  const isRoot = process.getuid?.() === 0
  try {
    if (isRoot) chownSync(folder, nobody.uid, nobody.gid)
    const args = [...argumentsFor(folder, proxy.port), url]
    const env = { HOME: folder, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" }
    const run = { command: chromium, args, env, cwd: folder, input: "", ...(isRoot ? { as: nobody } : {}) }
    const end = await withTimeout(clock, longestMs, signal, (either) =>
      runProgram({ clock }, { ...run, signal: either }),
    )
    return end.outcome === "ended" && end.code === 0 ? end.stdout : undefined
  } finally {
    await proxy.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function argumentsFor(folder: string, port: number): string[] {
  return [
    ...["--headless=new", "--dump-dom", `--user-data-dir=${join(folder, "profile")}`, "--incognito"],
    // Everything goes through the proxy, loopback too, and no name is resolved elsewhere.
    ...[`--proxy-server=http://127.0.0.1:${port}`, "--proxy-bypass-list=<-loopback>"],
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    ...["--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"],
    ...["--disable-gpu", "--disable-extensions", "--disable-sync", "--disable-background-networking"],
    ...["--disable-component-update", "--no-first-run", "--mute-audio", "--deny-permission-prompts"],
    ...["--virtual-time-budget=8000", "--timeout=15000"],
  ]
}
