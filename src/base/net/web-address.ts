import { BlockList, isIP } from "node:net"

/** Whether an address is on this machine. */
export function isLoopback(address: string | URL): boolean {
  const host = hostOf(address)
  return host === "localhost" || host.endsWith(".localhost") || isIn(loopback, host)
}

/** Why an address cannot be used, to complete "ADDRESS …", without quoting it; undefined if it can. */
export function problemWithAddress(address: string | URL): string | undefined {
  const url = URL.parse(String(address))
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "")
    return "is not an http or https address"
  if (url.username !== "" || url.password !== "")
    return "has a name or password in it; a key goes into an environment variable"
  const host = hostOf(url)
  if (host === "metadata.google.internal" || isIn(linkLocal, host))
    return "is a link-local address, where clouds hand out a machine's own credentials"
  return undefined
}

/** Whether a key can be sent there without others reading it in transit. */
export function isSafeForKeys(address: string | URL): boolean {
  return new URL(address).protocol === "https:" || isLoopback(address)
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const linkLocal = new BlockList()
linkLocal.addSubnet("169.254.0.0", 16, "ipv4")
linkLocal.addSubnet("fe80::", 10, "ipv6")
linkLocal.addAddress("fd00:ec2::254", "ipv6")
linkLocal.addAddress("100.100.100.200", "ipv4")

function isIn(list: BlockList, host: string): boolean {
  // Node's first call of isIP takes 3 ms, so host names skip it.
  const family = /:|^[\d.]+$/.test(host) ? isIP(host) : 0
  return family !== 0 && list.check(host, family === 4 ? "ipv4" : "ipv6")
}

function hostOf(address: string | URL): string {
  const host = URL.parse(String(address))?.hostname ?? ""
  return host.replace(/^\[|\]$/g, "").replace(/\.$/, "")
}
