/** A name that cannot be mistaken for an option, a path or another branch. */
export function branchFor(subject: string): string {
  const words = subject
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  const slug = words.slice(0, 48).replace(/-+$/, "")
  return `ambient/${slug === "" ? "change" : slug}`
}

/** Whether a branch is one of ours; nothing else is ever pushed or deleted. */
export function isOurBranch(branch: string): boolean {
  return /^ambient\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(branch) && branch.length <= 80
}
