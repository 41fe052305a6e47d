/** The branch name for a subject, such as ambient/fix-tides. It cannot be taken for an option or a path. */
export function branchFor(subject: string): string {
  const words = subject
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  const slug = words.slice(0, 48).replace(/-+$/, "")
  return `ambient/${slug === "" ? "change" : slug}`
}

/** Whether a branch is one of ours. No other branch is ever pushed. */
export function isOurBranch(branch: string): boolean {
  return /^ambient\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(branch) && branch.length <= 80
}
