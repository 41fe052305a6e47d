import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { WorkWorld } from "./work-world.ts"

const configured =
  (...settings: [string, (evil: string) => string][]) =>
  ({ repository, evil }: WorkWorld) => {
    for (const [name, value] of settings) repository.git("config", name, value(evil))
  }
const plain = (evil: string) => `'${evil}'`
const attributed =
  (attribute: string, ...settings: [string, (evil: string) => string][]) =>
  (world: WorkWorld) => {
    world.repository.commit({ ".gitattributes": `* ${attribute}\n` })
    configured(...settings)(world)
  }
const hooks = [
  "post-checkout",
  "reference-transaction",
  "pre-commit",
  "commit-msg",
  "post-commit",
  "pre-push",
  "post-index-change",
]
/** Every place where a repository can name a program: what it is for, and how it is put there. */
export const plantedPrograms: [string, (world: WorkWorld) => void][] = [
  [
    "as hooks",
    (world) => {
      for (const name of hooks) world.plantHook(join(world.repository.root, ".git/hooks"), name)
    },
  ],
  [
    "as hooks in another folder",
    (world) => {
      for (const name of hooks) world.plantHook(join(world.base, "hooks"), name)
      world.repository.git("config", "core.hooksPath", join(world.base, "hooks"))
    },
  ],
  ["to watch files", configured(["core.fsmonitor", plain])],
  [
    "to fill in files (smudge)",
    attributed("filter=x", ["filter.x.smudge", plain], ["filter.x.required", () => "true"]),
  ],
  ["to clean files", attributed("filter=x", ["filter.x.clean", plain], ["filter.x.required", () => "true"])],
  ["to filter files in one process", attributed("filter=x", ["filter.x.process", plain])],
  ["to show differences", configured(["diff.external", plain])],
  ["to show differences of some files", attributed("diff=x", ["diff.x.command", plain])],
  ["to turn files into text", attributed("diff=x", ["diff.x.textconv", plain])],
  [
    "to sign commits",
    configured(
      ["commit.gpgsign", () => "true"],
      ["gpg.program", (evil) => evil],
      ["user.signingkey", () => "x"],
    ),
  ],
  ["to merge files", attributed("merge=x", ["merge.x.driver", plain])],
  ["to page", configured(["core.pager", plain], ["pager.diff-tree", plain])],
  ["to edit", configured(["core.editor", plain], ["sequence.editor", plain])],
  [
    "as aliases",
    configured(
      ["alias.worktree", (evil) => `!'${evil}'`],
      ["alias.commit-tree", (evil) => `!'${evil}'`],
      ["alias.push", (evil) => `!'${evil}'`],
    ),
  ],
  [
    "for passwords",
    configured(["credential.helper", (evil) => `!'${evil}'`], ["core.askPass", (evil) => evil]),
  ],
  [
    "to receive what is pushed",
    configured(["remote.origin.receivepack", plain], ["remote.origin.uploadpack", plain]),
  ],
  [
    "in another file of settings",
    (world) => {
      writeFileSync(
        join(world.base, "more"),
        `[core]\n\tfsmonitor = "'${world.evil}'"\n\thooksPath = ${join(world.base, "hooks")}\n`,
      )
      for (const name of hooks) world.plantHook(join(world.base, "hooks"), name)
      world.repository.git("config", "include.path", join(world.base, "more"))
    },
  ],
  [
    "in the settings of one worktree",
    (world) => {
      world.repository.git("config", "extensions.worktreeConfig", "true")
      writeFileSync(
        join(world.repository.root, ".git/config.worktree"),
        `[core]\n\tfsmonitor = "'${world.evil}'"\n`,
      )
    },
  ],
  [
    "in a submodule",
    (world) => {
      const id = world.repository.git("rev-parse", "HEAD")
      world.repository.git("update-index", "--add", "--cacheinfo", `160000,${id},sub`)
      world.repository.write({ ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ../remote.git\n` })
      world.repository.git("add", ".gitmodules")
      world.repository.git("commit", "-m", "sub")
      world.repository.git("config", "submodule.recurse", "true")
      world.repository.git("config", "submodule.sub.update", `!'${world.evil}'`)
    },
  ],
  [
    "in the hooks of the repository that is pushed to",
    (world) => {
      for (const name of ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"])
        world.plantHook(join(world.remote, "hooks"), name)
    },
  ],
]
