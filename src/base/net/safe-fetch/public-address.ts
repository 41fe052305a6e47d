import { BlockList, isIP } from "node:net"

/** Which addresses may be connected to. Tests pass one that allows their server. */
export interface AddressPolicy {
  /** Why an address is refused, to complete "it …"; undefined if it may be connected to. */
  problem(address: string): string | undefined
}

/** Allows public internet addresses only: nothing on this machine, its network or its cloud. */
export const publicOnly: AddressPolicy = {
  problem(address) {
    const never = neverAllowed.problem(address)
    if (never !== undefined) return never
    return isPublic(address) ? undefined : "leads into a private or reserved network"
  },
}

/** Refuses cloud metadata addresses and addresses with an embedded IPv4, also for private hosts that the user allows. */
export const neverAllowed: AddressPolicy = {
  problem(address) {
    const family = isIP(address)
    if (family === 0 || address.includes("%")) return "leads to something that is no plain address"
    if (isIn(cloudAddresses, address))
      return "leads to an address where clouds hand out a machine's own credentials"
    if (family === 6 && isIn(embeddedIpv4, address)) return "leads to an address that stands for another one"
    return undefined
  },
}

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !isIn(reserved4, address)
  return isIn(global6, address) && !isIn(reserved6, address)
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
}

function listOf(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net = "", prefix = ""] = subnet.split("/")
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}

const cloudAddresses = new BlockList()
cloudAddresses.addSubnet("169.254.0.0", 16, "ipv4")
cloudAddresses.addAddress("100.100.100.200", "ipv4")
cloudAddresses.addAddress("168.63.129.16", "ipv4")
cloudAddresses.addAddress("192.0.0.192", "ipv4")
cloudAddresses.addSubnet("fe80::", 10, "ipv6")
cloudAddresses.addSubnet("fd00:ec2::", 32, "ipv6")
cloudAddresses.addAddress("fd20:ce::254", "ipv6")

/** IPv4 inside of IPv6: mapped, compatible, translated (NAT64), 6to4, Teredo. */
const embeddedIpv4 = listOf("ipv6", [
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/32",
])

/** IANA's special-purpose addresses, multicast and reserved ranges. */
const reserved4 = listOf("ipv4", [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"],
  ...["192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
])

/** Global unicast IPv6, and the reserved ranges in it. */
const global6 = listOf("ipv6", ["2000::/3"])
const reserved6 = listOf("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16"])
