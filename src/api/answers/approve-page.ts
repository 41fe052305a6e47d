import { createHash } from "node:crypto"
import { isoTime } from "../../base/clock.ts"
import { escapeControls, spanText } from "../../base/text/text.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"

const style = [
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fafaf7}",
  "h1{font-size:1.4rem}h2{font-size:1rem;margin:1.2rem 0 .2rem}pre{overflow:auto;padding:.6rem;background:#0001;white-space:pre-wrap;overflow-wrap:anywhere}",
  ".risks{border-left:.3rem solid #b00;padding-left:.8rem}.add{color:#060}.del{color:#a00}form{margin:1rem 0}",
  "button{font:inherit;padding:.4rem 1rem}input,textarea{font:inherit;width:100%;box-sizing:border-box}",
  "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1e}pre{background:#fff1}.add{color:#8d8}.del{color:#f99}}",
].join("")

const styleHash = createHash("sha256").update(style).digest("base64")

/** Headers of every page: no script, no foreign content, no frame, no referrer. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
}

/** The page that shows the request, with the buttons to decide. */
export function decisionPage(request: PermissionRequest, person: string, now: number): string {
  const { context, call } = request
  const runs = call === null ? "" : `${call.tool} ${JSON.stringify(call.input, null, 2)}`
  return page("Reverie asks for your permission", [
    `<p>${escaped(request.id)}, urgency ${escaped(request.urgency)}, for ${escaped(person)}. Nothing happens before you press a button.</p>`,
    `<div class="risks"><h2>Risks, as the agent sees them</h2>${list(context.risks) || "<p>None named.</p>"}</div>`,
    part("What", `${request.action}\n${request.description}`),
    part("Why", request.rationale),
    part("Runs, exactly and once", runs),
    part("Project", request.project ?? ""),
    part("Summary", context.summary),
    listPart("Steps", context.planned_steps),
    listPart("Files", context.files),
    listPart("Commands", context.commands),
    part("Expected outcome", context.expected_outcome),
    part("How to undo it", context.rollback),
    part("Tests", context.tests),
    context.diff === "" ? "" : `<h2>Diff</h2><pre>${diff(context.diff)}</pre>`,
    part("Asked by", request.askedBy),
    `<p>Asked ${isoTime(request.createdAt)}; expires ${isoTime(request.expiresAt)}, in ${spanText(request.expiresAt - now)}. An expired request is not done.</p>`,
    form(request, "approve", runs === "" ? "Approve" : "Approve: run exactly this, once", ""),
    form(
      request,
      "deny",
      "Deny",
      '<label>Why (optional) <input name="text" maxlength="2000" autocomplete="off"></label>',
    ),
    form(
      request,
      "respond",
      "Answer without deciding",
      '<label>Your answer to the agent <textarea name="text" rows="3" maxlength="2000" required></textarea></label>',
    ),
  ])
}

/** A page with one sentence. */
export function sentencePage(title: string, sentence: string): string {
  return page(title, [`<p>${escaped(sentence)}</p>`])
}

function page(title: string, parts: readonly string[]): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>`
  return `<!doctype html><html lang="en"><head>${head}<style>${style}</style></head><body><h1>${escaped(title)}</h1>${parts.join("\n")}</body></html>\n`
}

function form({ digest }: PermissionRequest, decision: string, label: string, field: string): string {
  const shown = `<input type="hidden" name="shown" value="${escaped(digest)}">`
  return `<form method="post">${shown}${field}<p><button name="decision" value="${decision}">${label}</button></p></form>`
}

function part(name: string, text: string): string {
  return text.trim() === "" ? "" : `<h2>${name}</h2><pre>${escaped(text)}</pre>`
}

function listPart(name: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `<h2>${name}</h2>${list(items)}`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`
}

function diff(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const kind = line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : undefined
      return kind === undefined ? escaped(line) : `<span class="${kind}">${escaped(line)}</span>`
    })
    .join("\n")
}

/** Escapes markup and makes control and bidirectional characters visible. */
function escaped(text: string): string {
  return escapeControls(text).replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
