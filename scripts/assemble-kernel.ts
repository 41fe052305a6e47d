// Assembles each kernel into the TypeScript constant beside it; with --check only compares them.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import wabt from "wabt"

interface KernelFile {
  /** Where it stands, without the ending. */
  path: string
  /** The constant that holds it, and what it says of itself. */
  constant: string
  about: string
}

const kernels: KernelFile[] = [
  {
    path: "src/storage/sqlite/vector-kernel",
    constant: "vectorKernel",
    about: "The assembled dot-product kernel",
  },
  {
    path: "src/memory/topics/clustering/distance-kernel",
    constant: "distanceKernel",
    about: "The assembled squared-distance kernel",
  },
]

function fileOf({ path }: KernelFile, ending: string): string {
  return fileURLToPath(new URL(`../${path}${ending}`, import.meta.url))
}

async function assemble(kernel: KernelFile): Promise<string> {
  const source = fileOf(kernel, ".wat")
  const assembler = await wabt()
  const parsed = assembler.parseWat(source, readFileSync(source, "utf8"), { simd: true })
  parsed.validate()
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  return Buffer.from(buffer).toString("base64")
}

function moduleText({ path, constant, about }: KernelFile, base64: string): string {
  return [
    `// Written by scripts/assemble-kernel.ts from ${basename(path)}.wat: change that file, not this one.`,
    "",
    `/** ${about}, as base64. */`,
    `export const ${constant} =\n  "${base64}"`,
    "",
  ].join("\n")
}

function isCurrent(target: string, base64: string): boolean {
  return existsSync(target) && readFileSync(target, "utf8").includes(`"${base64}"`)
}

for (const kernel of kernels) {
  const target = fileOf(kernel, ".ts")
  const base64 = await assemble(kernel)
  if (!process.argv.includes("--check")) {
    writeFileSync(target, moduleText(kernel, base64))
  } else if (!isCurrent(target, base64)) {
    console.error(
      `${kernel.path}.ts is not what ${basename(kernel.path)}.wat assembles to: run scripts/assemble-kernel.ts`,
    )
    process.exitCode = 1
  }
}
