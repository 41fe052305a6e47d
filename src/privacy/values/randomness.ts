/**
 * How much better chance explains each pair of letters than the words of prose and code do, one sign a pair: a is
 * -3 bits, p 4.5. Row by row for the first letter; counted over some 12,000 words of conversations and source code.
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

/** A change between letters and digits, and a capital after a small letter, are rare in words but not unheard of. */
const changeBits = 2
const humpBits = 1

/** By how many bits chance explains the letters and digits of a text better than words do; negative for words. */
export function chanceBits(text: string): number {
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

/** So many bits for each character are more than words reach, and less than all but a few of 1,000 random texts have. */
const bitsEach = 0.5

/** Whether letters and digits come by chance; texts of less than 12 characters tell too little. */
export function isByChance(text: string, shortest = 12): boolean {
  return text.length >= shortest && chanceBits(text) / text.length >= bitsEach
}
