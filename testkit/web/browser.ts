import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"

/** Debian's own browser; scripts/test-setup installs it. The one that never has a window starts pages twice as fast. */
const program = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((file) => existsSync(file))

/** Whether there is a browser to test with. */
export const hasBrowser = program !== undefined

/** Starts a browser without a window. Pages are painted by plain software: as WebGL they would take seven times as long. */
export async function startBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error("there is no Chromium; scripts/test-setup installs it")
  const webGl = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
  const pages = ["--disable-gpu-compositing", "--disable-gpu-rasterization"]
  const args = ["--no-sandbox", ...webGl, ...pages]
  return chromium.launch({ executablePath: program, args })
}

/** What went wrong in a page while it was looked at. */
export interface Faults {
  /** Errors and warnings of the console, and what was thrown. */
  console: string[]
  /** Requests that left the daemon. */
  outside: string[]
}

/** Opens a page that notes what goes wrong in it. */
export async function openPage(context: BrowserContext): Promise<{ page: Page; faults: Faults }> {
  const page = await context.newPage()
  const faults: Faults = { console: [], outside: [] }
  page.on("console", (message) => {
    const isOurs = !/GPU stall|swiftshader|GroupMarkerNotSet/i.test(message.text())
    if (isOurs && (message.type() === "error" || message.type() === "warning"))
      faults.console.push(message.text())
  })
  page.on("response", (response) => {
    if (response.status() >= 400) faults.console.push(`${response.status()} ${response.url()}`)
  })
  page.on("pageerror", (error) => faults.console.push(String(error)))
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol !== "data:" && hostname !== "127.0.0.1") faults.outside.push(request.url())
  })
  return { page, faults }
}

/** Goes to another page as a link in the page does, without loading the dashboard anew. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  )
}
