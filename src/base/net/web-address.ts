import { BlockList, isIP } from "node:net"

/** Only this machine answers there; what is sent does not leave it. */
export function isLoopback(address: string | URL): boolean {
  const host = hostOf(address)
  return host === "localhost" || host.endsWith(".localhost") || isIn(loopback, host)
}

/** Why no server of ours can be at an address, to complete "ADDRESS …"; undefined if one can. Quotes nothing of it. */
export function problemWithAddress(address: string | URL): string | undefined {
  const url = URL.parse(String(address))
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "")
    return "is no http or https address"
  if (url.username !== "" || url.password !== "")
    return "has a name or password in it; a key goes into an environment variable"
  const host = hostOf(url)
  if (host === "metadata.google.internal" || isIn(ownOfTheMachine, host))
    return "is a link-local address, where clouds hand out a machine's own credentials"
  return undefined
}

/** Whether a key may be sent there: nobody on the way can read it. */
export function mayCarryKey(address: string | URL): boolean {
  return new URL(address).protocol === "https:" || isLoopback(address)
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const ownOfTheMachine = new BlockList()
ownOfTheMachine.addSubnet("169.254.0.0", 16, "ipv4")
ownOfTheMachine.addSubnet("fe80::", 10, "ipv6")
ownOfTheMachine.addAddress("fd00:ec2::254", "ipv6")
ownOfTheMachine.addAddress("100.100.100.200", "ipv4")

function isIn(list: BlockList, host: string): boolean {
  // A name is no address, and Node's own look at one takes 3 ms the first time.
  const family = /:|^[\d.]+$/.test(host) ? isIP(host) : 0
  return family !== 0 && list.check(host, family === 4 ? "ipv4" : "ipv6")
}

function hostOf(address: string | URL): string {
  const host = URL.parse(String(address))?.hostname ?? ""
  return host.replace(/^\[|\]$/g, "").replace(/\.$/, "")
}
