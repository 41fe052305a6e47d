import { isAbsolute, normalize, sep } from "node:path"
import { isSecretFile } from "../privacy/files/secret-files.ts"
import type { Effect } from "./tier.ts"

/** The only branches that may be pushed. */
const ownBranch = /^ambient\/[a-z0-9][a-z0-9._-]*$/

/** Why a call never runs, whatever is configured and whoever approves; undefined if it may. */
export function forbidden(effects: readonly Effect[]): string | undefined {
  for (const effect of effects) {
    const why = whyForbidden(effect)
    if (why !== undefined) return why
  }
  return undefined
}

function whyForbidden(effect: Effect): string | undefined {
  switch (effect.kind) {
    case "push":
      return whyNoPush(effect)
    case "write":
      return whyNoWrite(effect.path)
    case "safety":
      return `Reverie never changes its own safety (${effect.what}).`
    default:
      return undefined
  }
}

function whyNoPush({
  branch,
  force,
  deletes,
  remote,
}: Extract<Effect, { kind: "push" }>): string | undefined {
  if (force) return "Reverie never force-pushes."
  if (deletes) return "Reverie never deletes a branch of a remote."
  if (!ownBranch.test(branch) || branch.includes("..") || branch.endsWith(".lock"))
    return `Reverie pushes only its own branches, ambient/NAME, and ${JSON.stringify(branch)} is not one.`
  if (remote.startsWith("-") || /[\s\0]/.test(remote)) return `${JSON.stringify(remote)} is not a remote.`
  return undefined
}

function whyNoWrite(path: string): string | undefined {
  const plain = path.normalize("NFKC")
  const parts = normalize(plain).split(sep)
  if (plain.includes("\0") || isAbsolute(plain) || plain.startsWith("~") || parts.includes(".."))
    return `${JSON.stringify(path)} is outside the worktree, where Reverie never writes.`
  if (parts.some((part) => part.toLowerCase().replace(/[\s.]+$/, "") === ".git"))
    return "Reverie never writes into .git."
  if (isSecretFile(plain)) return `${JSON.stringify(path)} contains credentials, which Reverie never touches.`
  return undefined
}
