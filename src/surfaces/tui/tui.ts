import { render } from "ink"
import { createElement } from "react"
import { App } from "./app.ts"
import type { TuiNeeds } from "./needs.ts"

/** Runs the terminal program on the alternate screen until the user quits. */
export async function runTui(needs: TuiNeeds): Promise<void> {
  const shown = render(createElement(App, { needs }), {
    stdout: needs.screen,
    stdin: needs.input as unknown as NodeJS.ReadStream,
    alternateScreen: true,
    exitOnCtrlC: true,
    interactive: true,
  })
  await shown.waitUntilExit()
}
