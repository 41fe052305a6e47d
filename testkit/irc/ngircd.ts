import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

interface ServerOptions {
  /** Clients must give it (PASS). */
  password?: string
  /** Also listens with TLS, with a certificate it signed itself. */
  tls?: boolean
  /** Another server of ours that is linked with this one. */
  linkTo?: { name: string; port: number }
  name?: string
}

const program = "/usr/sbin/ngircd"

/** Whether it is installed (scripts/test-setup does). */
export function hasNgircd(): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Starts Debian's IRC server on a free port of this machine: a real one that is not ours. */
export async function startNgircd(options: ServerOptions = {}) {
  const { name = "irc.test.example" } = options
  const folder = mkdtempSync(join(tmpdir(), "reverie-irc-"))
  const [port, tlsPort] = [await freePort(), await freePort()]
  const certificate = options.tls ? makeCertificate(folder) : undefined
  const file = join(folder, "ngircd.conf")
  writeFileSync(file, configuration({ ...options, name, port, tlsPort, certificate }))
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(program, ["--nodaemon", "--config", file], { stdio: "ignore" })
    await answering(port, child)
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
  }
  await start()
  return {
    name,
    port,
    tlsPort,
    fingerprint: certificate?.fingerprint ?? "",
    /** Ends it at once, as if the machine had gone; its clients lose their connections. */
    kill,
    start,
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configuration({
  name,
  port,
  tlsPort,
  certificate,
  password,
  linkTo,
}: ServerOptions & {
  name: string
  port: number
  tlsPort: number
  certificate: Certificate | undefined
}): string {
  const link = linkTo
    ? ["[Server]", `Name = ${linkTo.name}`, "Host = 127.0.0.1", `Port = ${linkTo.port}`, ...linkPasswords]
    : ["[Server]", "Name = leaf.test.example", ...linkPasswords]
  return [
    "[Global]",
    `Name = ${name}`,
    "Info = test",
    "Listen = 127.0.0.1",
    `Ports = ${port}`,
    "MotdPhrase = hello",
    ...(password === undefined ? [] : [`Password = ${password}`]),
    "[Limits]",
    "MaxConnectionsIP = 0",
    "MaxPenaltyTime = 0",
    "MaxNickLength = 16",
    "ConnectRetry = 1",
    "[Options]",
    "DNS = no",
    "Ident = no",
    "PAM = no",
    ...(certificate
      ? [
          "[SSL]",
          `CertFile = ${certificate.certFile}`,
          `KeyFile = ${certificate.keyFile}`,
          `Ports = ${tlsPort}`,
        ]
      : []),
    ...link,
    "",
  ].join("\n")
}

const linkPasswords = ["MyPassword = link", "PeerPassword = link"]

interface Certificate {
  certFile: string
  keyFile: string
  fingerprint: string
}

function makeCertificate(folder: string): Certificate {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
  execFileSync("openssl", [...request, "-keyout", keyFile, "-out", certFile], { stdio: "ignore" })
  return { certFile, keyFile, fingerprint: new X509Certificate(readFileSync(certFile)).fingerprint256 }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no free port")
  return address.port
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (child.exitCode !== null) throw new Error(`ngircd ended with ${child.exitCode}`)
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1")
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
      socket.once("connect", () => socket.destroy())
    })
    if (isThere) return
    await pause(20)
  }
  throw new Error("ngircd does not answer")
}
