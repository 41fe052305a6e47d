// Assembles the vector kernel into its TypeScript constant; with --check only compares them.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import wabt from "wabt"

const source = fileURLToPath(new URL("../src/storage/vector-kernel.wat", import.meta.url))
const target = fileURLToPath(new URL("../src/storage/vector-kernel.ts", import.meta.url))

async function assemble(): Promise<string> {
  const assembler = await wabt()
  const parsed = assembler.parseWat(source, readFileSync(source, "utf8"), { simd: true })
  parsed.validate()
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  return Buffer.from(buffer).toString("base64")
}

function moduleText(base64: string): string {
  return [
    "// Written by scripts/assemble-kernel.ts from vector-kernel.wat: change that file, not this one.",
    "",
    "/** The assembled dot-product kernel, as base64. */",
    `export const vectorKernel =\n  "${base64}"`,
    "",
  ].join("\n")
}

function isCurrent(base64: string): boolean {
  return existsSync(target) && readFileSync(target, "utf8").includes(`"${base64}"`)
}

const base64 = await assemble()
if (!process.argv.includes("--check")) {
  writeFileSync(target, moduleText(base64))
} else if (!isCurrent(base64)) {
  console.error(
    "src/storage/vector-kernel.ts is not what vector-kernel.wat assembles to: run scripts/assemble-kernel.ts",
  )
  process.exitCode = 1
}
