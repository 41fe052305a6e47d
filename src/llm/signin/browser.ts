import { spawn } from "node:child_process"

/** Opens an address in the user's browser, if there is one; they have the address anyway. */
export function openBrowser(url: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open"
  const child = spawn(program, [url], { stdio: "ignore", detached: true })
  child.on("error", () => undefined)
  child.unref()
}
