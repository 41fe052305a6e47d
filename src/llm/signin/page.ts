const style =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#222;background:#fafaf7}" +
  "h1{font-size:1.4rem}@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1e}}"

/** The page that the browser shows after the callback. */
export function page(ending: "signed-in" | "elsewhere" | { problem: string }): string {
  if (ending === "signed-in")
    return html("You are signed in", "Reverie may now ask models with your ChatGPT plan. Close this tab.")
  if (ending === "elsewhere") return html("Nothing here", "Reverie only waits here for the end of a sign-in.")
  return html("You are not signed in", ending.problem)
}

function html(title: string, text: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Reverie</title><style>${style}</style></head><body><h1>${title}</h1><p>${escaped(text)}</p></body></html>`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
