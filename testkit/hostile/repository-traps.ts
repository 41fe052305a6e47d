import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createRepository, git } from "../git-repository.ts"
import {
  commitSigned,
  configure,
  type HostileRepository,
  lose,
  moveGitFolder,
  partialClone,
  promise,
  touch,
} from "./hostile-repository.ts"

const ourCommands = [
  ...[
    "blame",
    "cat-file",
    "config",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "remote",
    "rev-parse",
    "show",
  ],
  ...["symbolic-ref", "check-ignore"],
]

/** A program that a repository names, and how git would run it. */
interface Trap {
  name: string
  /** Plants the program. */
  set(repository: HostileRepository): unknown
  /** A command of git that would run it, if that can be shown. */
  spring?: string[] | ((repository: HostileRepository) => string[])
  /** Where the session is, below the repository. */
  at?: string
}

const checkIgnore = ["check-ignore", "-q", "--", "a.log"]

/** All ways to have git run a program that we know of. */
export const traps: Trap[] = [
  {
    name: "an archive whose .git names a program to fetch a missing .gitignore with",
    set: (one) => partialClone(one, { "remote.origin.url": one.root, "remote.origin.uploadpack": one.spy }),
    spring: checkIgnore,
  },
  {
    name: "the same, with a configuration that allows the file protocol",
    set: (one) =>
      partialClone(one, {
        "remote.origin.url": one.root,
        "remote.origin.uploadpack": one.spy,
        "protocol.file.allow": "always",
      }),
    spring: ["-c", "protocol.allow=never", ...checkIgnore],
  },
  {
    name: "a missing object that is fetched by the ext protocol",
    set: (one) =>
      partialClone(one, { "remote.origin.url": `ext::${one.spy}`, "protocol.ext.allow": "always" }),
    spring: checkIgnore,
  },
  {
    name: "a missing object behind an ssh address with core.sshCommand",
    set: (one) =>
      partialClone(one, { "remote.origin.url": "ssh://nowhere.invalid/x", "core.sshCommand": one.spy }),
    spring: checkIgnore,
  },
  {
    name: "a missing object whose address is rewritten to a program",
    set: (one) =>
      partialClone(one, {
        "remote.origin.url": "https://nowhere.invalid/x",
        [`url.ext::${one.spy} .insteadOf`]: "https://nowhere.invalid/",
        "protocol.ext.allow": "always",
      }),
    spring: checkIgnore,
  },
  {
    name: "a missing object behind core.gitProxy",
    set: (one) =>
      partialClone(one, { "remote.origin.url": "git://nowhere.invalid/x", "core.gitProxy": one.spy }),
    spring: checkIgnore,
  },
  {
    name: "a manifest of the main branch that is missing",
    set(one) {
      one.git("checkout", "-q", "-b", "work")
      one.commit({ "package.json": "{}" })
      lose(one, "main:package.json")
      promise(one, { "remote.origin.url": one.root, "remote.origin.uploadpack": one.spy })
    },
    spring: ["cat-file", "blob", "main:package.json"],
  },
  {
    name: "a folder of an old commit that is missing",
    set(one) {
      lose(one, "HEAD~1:src")
      promise(one, { "remote.origin.url": one.root, "remote.origin.uploadpack": one.spy })
    },
    spring: ["log", "--name-only"],
  },
  {
    name: "core.fsmonitor",
    set: (one) => configure(one, { "core.fsmonitor": one.spy }),
    spring: ["status"],
  },
  {
    name: "core.fsmonitor in a file that the configuration includes",
    set(one) {
      one.write({ "docs/settings": `[core]\nfsmonitor = ${one.spy}\n` })
      configure(one, { "include.path": "../docs/settings" })
    },
    spring: ["status"],
  },
  {
    name: "core.fsmonitor in a conditional include",
    set(one) {
      one.write({ "docs/settings": `[core]\nfsmonitor = ${one.spy}\n` })
      configure(one, { "includeIf.gitdir:/**.path": "../docs/settings" })
    },
    spring: ["status"],
  },
  {
    name: "core.fsmonitor in the configuration of a worktree",
    set(one) {
      configure(one, { "core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true" })
      writeFileSync(join(one.root, ".git/config.worktree"), `[core]\nfsmonitor = ${one.spy}\n`)
    },
    spring: ["status"],
  },
  {
    name: "hooks in .git/hooks",
    set(one) {
      for (const name of ["post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"])
        symlinkSync(one.spy, join(one.root, ".git/hooks", name))
      touch(one, "src/app.ts")
      execFileSync("touch", [join(one.root, "src/new.ts")])
    },
    spring: ["status"],
  },
  {
    name: "hooks in a folder that core.hooksPath names",
    set(one) {
      mkdirSync(join(one.root, "tools/hooks"), { recursive: true })
      symlinkSync(one.spy, join(one.root, "tools/hooks/post-index-change"))
      configure(one, { "core.hooksPath": "tools/hooks" })
      execFileSync("touch", [join(one.root, "src/new.ts")])
    },
    spring: ["status"],
  },
  {
    name: "diff.external",
    set: (one) => configure(one, { "diff.external": one.spy }),
    spring: ["diff", "HEAD~2"],
  },
  {
    name: "a diff command by .gitattributes",
    set(one) {
      one.commit({ ".gitattributes": "* diff=evil\n" })
      configure(one, { "diff.evil.command": one.spy })
    },
    spring: ["diff", "HEAD~2"],
  },
  {
    name: "a textconv program by .gitattributes",
    set(one) {
      one.commit({ ".gitattributes": "* diff=evil\n" })
      configure(one, { "diff.evil.textconv": one.spy, "diff.evil.cachetextconv": "true" })
    },
    spring: ["log", "-p"],
  },
  {
    name: "a textconv program by .git/info/attributes",
    set(one) {
      writeFileSync(join(one.root, ".git/info/attributes"), "* diff=evil\n")
      configure(one, { "diff.evil.textconv": one.spy })
    },
    spring: ["log", "-p"],
  },
  {
    name: "a clean filter",
    set(one) {
      one.commit({ ".gitattributes": "* filter=evil\n" })
      configure(one, { "filter.evil.clean": one.spy, "filter.evil.required": "true" })
      touch(one, "src/app.ts")
    },
    spring: ["diff"],
  },
  {
    name: "a filter that is a process",
    set(one) {
      one.commit({ ".gitattributes": "* filter=evil\n" })
      configure(one, { "filter.evil.process": one.spy })
      touch(one, "src/app.ts")
    },
    spring: ["diff"],
  },
  {
    name: "a smudge filter",
    set(one) {
      one.commit({ ".gitattributes": "* filter=evil\n" })
      configure(one, { "filter.evil.smudge": one.spy })
    },
    spring: ["archive", "HEAD", "--output=/dev/null"],
  },
  {
    name: "a signed commit with log.showSignature and gpg.program",
    set(one) {
      commitSigned(one, "PGP")
      configure(one, { "log.showSignature": "true", "gpg.program": one.spy })
    },
    spring: ["log", "-1"],
  },
  {
    name: "a commit signed with ssh and gpg.ssh.program",
    set(one) {
      commitSigned(one, "SSH")
      const allowed = { "gpg.ssh.allowedSignersFile": "/dev/null", "gpg.ssh.program": one.spy }
      configure(one, { "log.showSignature": "true", "gpg.format": "ssh", ...allowed })
    },
    spring: ["log", "-1"],
  },
  {
    name: "pagers for every command",
    set: (one) =>
      configure(
        one,
        Object.fromEntries(
          ["core.pager", ...ourCommands.map((name) => `pager.${name}`)].map((name) => [name, one.spy]),
        ),
      ),
  },
  {
    name: "aliases by the names of the commands we run",
    set: (one) =>
      configure(
        one,
        Object.fromEntries([...ourCommands, "x"].map((name) => [`alias.${name}`, `!${one.spy}`])),
      ),
    spring: ["x"],
  },
  {
    name: "a submodule that is named like a manifest and has a diff program of its own",
    set(one) {
      const inner = createRepository()
      inner.commit({ "a.txt": "one\n" })
      one.git("rm", "-q", "package.json")
      one.git("submodule", "--quiet", "add", inner.root, "package.json")
      one.commit()
      const own = join(one.root, "package.json")
      writeFileSync(join(own, "a.txt"), "two\n")
      git(own, "commit", "-q", "-a", "-m", "change")
      one.commit()
      git(own, "config", "diff.external", one.spy)
      configure(one, { "diff.submodule": "diff", "submodule.recurse": "true" })
    },
    spring: ["log", "-p"],
  },
  {
    name: "a .git file that leads to a folder in the tree",
    set(one) {
      configure(one, { "core.fsmonitor": one.spy })
      moveGitFolder(one, "file")
    },
    spring: ["status"],
  },
  {
    name: "a .git that is a link to a folder in the tree",
    set(one) {
      configure(one, { "core.fsmonitor": one.spy })
      moveGitFolder(one, "link")
    },
    spring: ["status"],
  },
  {
    name: "a bare repository among the fixtures of another",
    set(one) {
      const bare = join(one.root, "fixtures/bare")
      git(one.root, "clone", "-q", "--bare", one.root, bare)
      git(bare, "config", "core.bare", "false")
      git(bare, "config", "core.worktree", "..")
      git(bare, "config", "core.fsmonitor", one.spy)
    },
    at: "fixtures/bare",
    spring: ({ root }) => ["-C", join(root, "fixtures/bare"), "status"],
  },
  {
    name: "credential helpers, editors, proxies and everything else a configuration can name",
    set: (one) =>
      configure(
        one,
        Object.fromEntries(
          [
            ...[
              "core.askPass",
              "core.editor",
              "core.sshCommand",
              "core.gitProxy",
              "core.alternateRefsCommand",
            ],
            ...[
              "credential.helper",
              "sequence.editor",
              "uploadpack.packObjectsHook",
              "interactive.diffFilter",
            ],
            ...[
              "gpg.program",
              "gpg.ssh.program",
              "gpg.x509.program",
              "gpg.ssh.defaultKeyCommand",
              "web.browser",
            ],
            ...[
              "merge.evil.driver",
              "mergetool.evil.cmd",
              "difftool.evil.cmd",
              "trailer.evil.command",
              "man.evil.cmd",
            ],
            ...[
              "core.fsmonitor",
              "diff.external",
              "core.pager",
              "remote.origin.uploadpack",
              "remote.origin.vcs",
            ],
          ].map((name) => [name, one.spy]),
        ),
      ),
    spring: ["status"],
  },
]
