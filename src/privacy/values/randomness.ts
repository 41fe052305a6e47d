/**
 * The log likelihood ratio, random against words, of each pair of letters, one character per pair: a is -3 bits, p is
 * 4.5. One row for each first letter. Counted over some 12,000 words of conversations and source code.
 */
const pairs = `
  ohefnkhnfoidgdpgpdeciijmhn dkjkbklmehmckldlnegkeklmhn doiocnodgpffopbnpgjdgpopjp dkmgalipcmnimkenpgenhknpip
  fmfdhijokpnggdmikccfnijglp dmkldelobnmfmmcnneigekkmhm elmnbkhedpnhkffkodfifknpkm bmpnamnpcpplkkcmpgkfhmmpjp
  hjfffigppplfgaeiphfdphpmpj fmknbjininmmpkbipldldifmok glmjajknbnkjmghnpldjikjpip dmogbkmpcpldlpdkpoghgknpfp
  bfnlamlpdonkgmddpphohnoplp fpeddicofnjkniflpmdcijopkp jjhgmjjojmifebgfpcgfeifomp conlcmkifpodlndfpcheglmoko
  ihiklghljkkellkppjikahhnnl dmihakipdpjjihdmphefhjnpgp gpgobmnfepijlmfglmebfnjoip dpimbmndcppjooempeehgplohp
  ghggejhpgppefclfpcddnnoopp cnnnaklocnlnmkfnmlklkkklkl blkkcllddoljpednoffkplkpno glemeijkemnpkljapkkblijnkn
  ghgleijofloffeddpkcfkkhpjl ejlnahhkdmmioidmpmhpihingg`
  .replaceAll(/\s/g, "")
  .split("")
  .map((sign) => (sign.charCodeAt(0) - 97) / 2 - 3)

/** The bits for a change between letters and digits, and for a capital after lower case. */
const changeBits = 2
const humpBits = 1

/** The evidence, in bits, that a text is random and not made of words; negative for words. */
export function randomnessBits(text: string): number {
  let bits = 0
  let before = 0
  for (let index = 0; index < text.length; index += 1) {
    const now = text.charCodeAt(index)
    bits += pairBits(before, now)
    before = now
  }
  return bits
}

function pairBits(a: number, b: number): number {
  const first = letterOf(a)
  const second = letterOf(b)
  if (first >= 0 && second >= 0) {
    return isSmall(a) && !isSmall(b) ? humpBits : (pairs[first * 26 + second] ?? 0)
  }
  const isChange = (first >= 0 && isDigit(b)) || (second >= 0 && isDigit(a))
  return isChange ? changeBits : 0
}

/** 0 for a to 25 for z in either case, -1 for anything else. */
function letterOf(code: number): number {
  const small = code | 32
  return small >= 97 && small <= 122 && code >= 65 && code <= 122 ? small - 97 : -1
}

function isSmall(code: number): boolean {
  return code >= 97
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The bits per character that words do not reach and nearly all random texts exceed. */
const bitsEach = 0.5

/** Whether a text is random; shorter texts give too little evidence. */
export function isRandomText(text: string, shortest = 12): boolean {
  return text.length >= shortest && randomnessBits(text) / text.length >= bitsEach
}
