import { spawn } from "node:child_process"

/** Opens an address in the user's browser, if there is one. The address is shown to the user as well. */
export function openBrowser(url: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open"
  const child = spawn(program, [url], { stdio: "ignore", detached: true })
  child.on("error", () => undefined)
  child.unref()
}
