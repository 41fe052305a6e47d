/** Tracking parameters, which do not change the page. */
const tracking =
  /^(?:utm_\w+|hsa_\w+|_hs\w+|mtm_\w+|pk_\w+|at_\w+|(?:fb|g|d|y|tw|ms|ttc|gbr|wbr)cl(?:id|kid)|msclkid|ttclid|gbraid|wbraid|igshid|igsh|mc_[ce]id|si|spm|ref_src|ref_url|referrer|cmpid|cmp|ocid|ncid|smid|s_cid|feature|share_id|amp|outputtype|_branch_match_id|_ga|_gl)$/i

/** Subdomains that show the same page in another layout. */
const mirrorHost = /^(?:www\d?|m|mobile|amp|touch|old|new|np|i)\./

/**
 * The canonical form of an address: links to the same page give the same text. Only for comparing, never fetched. Undefined
 * if it is not a web address.
 */
export function canonicalUrl(link: string): string | undefined {
  const given = link.length > 4096 ? null : URL.parse(link.trim())
  if (given === null || !/^https?:$/.test(given.protocol) || given.hostname === "") return undefined
  const url = outOfAmp(given)
  const host = plainHost(url.hostname)
  const video = videoIn(host, url)
  if (video !== undefined) return `https://youtube.com/watch?v=${video}`
  const kept = [...url.searchParams].filter(([name]) => !tracking.test(name))
  kept.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
  const query = new URLSearchParams(kept).toString()
  const port = url.port === "" ? "" : `:${url.port}`
  return `https://${host}${port}${plainPath(url.pathname)}${query === "" ? "" : `?${query}`}`
}

/** The original page of an AMP copy. */
function outOfAmp(url: URL): URL {
  const isGoogle = /(?:^|\.)google\.[a-z.]{2,6}$/.test(url.hostname) && url.pathname.startsWith("/amp/")
  const isCdn = url.hostname.endsWith(".cdn.ampproject.org")
  if (!isGoogle && !isCdn) return url
  const rest = isGoogle ? url.pathname.slice(5) : url.pathname.replace(/^\/[a-z]\//, "")
  return URL.parse(`https://${rest.replace(/^s\//, "")}${url.search}`) ?? url
}

function plainHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, "")
  const bare = host.replace(mirrorHost, "")
  const shown = bare.split(".").length >= 2 ? bare : host
  // As in en.m.wikipedia.org.
  const desktop = shown.replace(/^([a-z-]{2,12})\.m\.(?=[^.]+\.)/, "$1.")
  return desktop === "twitter.com" ? "x.com" : desktop
}

function videoIn(host: string, url: URL): string | undefined {
  const path = url.pathname
  if (host === "youtu.be") return /^\/([\w-]{6,20})/.exec(path)?.[1]
  if (host !== "youtube.com" && host !== "music.youtube.com" && host !== "youtube-nocookie.com")
    return undefined
  const short = /^\/(?:shorts|live|embed|v)\/([\w-]{6,20})/.exec(path)?.[1]
  const watched = path === "/watch" ? /^[\w-]{6,20}$/.exec(url.searchParams.get("v") ?? "")?.[0] : undefined
  return short ?? watched
}

function plainPath(pathname: string): string {
  return pathname
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/(?:amp|index\.(?:html?|php))?\/?$/, "")
    .replace(/\.amp(\.html?)?$/, "$1")
}

/** The web addresses in a text. */
export function linksIn(text: string): string[] {
  const found = text.slice(0, 20_000).match(/https?:\/\/[^\s<>"'`\p{Cc}]{3,2000}/giu) ?? []
  return found.map((link) => withoutEnd(link))
}

/** Removes punctuation at the end of a link, and a closing bracket that was opened before it. */
function withoutEnd(link: string): string {
  const bare = link.replace(/[.,;:!?*_~|。、，]+$/u, "")
  const isOpened = (bare.match(/\(/g) ?? []).length >= (bare.match(/\)/g) ?? []).length
  return isOpened ? bare : withoutEnd(bare.replace(/\)[^)]*$/, ""))
}

/** Removes all links of a text beyond the first `most`. */
export function limitLinks(text: string, most: number): string {
  const beyond = linksIn(text).slice(most)
  if (beyond.length === 0) return text
  let result = text
  for (const link of beyond.reverse()) {
    const at = result.lastIndexOf(link)
    if (at !== -1) result = `${result.slice(0, at)}${result.slice(at + link.length)}`
  }
  return result
    .replaceAll(/<>|\(\s*\)|\[\s*\](?:\(\s*\))?/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
