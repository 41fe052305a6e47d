/** The Luhn check of payment cards and other numbers. */
export function isLuhnValid(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.at(-1 - index))
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return digits.length > 0 && sum % 10 === 0
}

/** The length of an IBAN in each country. */
const ibanLengths: Record<string, number> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
  FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
  LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
  RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

/** The length of a country's IBANs; undefined if it has none. */
export function ibanLength(country: string): number | undefined {
  return ibanLengths[country]
}

/** The check of an IBAN without spaces (ISO 7064, mod 97). */
export function isIbanValid(iban: string): boolean {
  const turned = iban.slice(4) + iban.slice(0, 4)
  let rest = 0
  for (const sign of turned) {
    const value = Number.parseInt(sign, 36)
    if (Number.isNaN(value)) return false
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** The two check digits of a Brazilian CPF. */
export function isCpfValid(digits: string): boolean {
  if (digits.length !== 11 || new Set(digits).size === 1) return false
  const check = (length: number) => {
    const sum = weighted(digits.slice(0, length), (index) => length + 1 - index)
    return ((sum * 10) % 11) % 10
  }
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10])
}

/** The letter of a Spanish DNI or NIE. */
export function isDniValid(text: string): boolean {
  const digits = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)))
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(digits) % 23] === text.at(-1)
}

/** The last digit of a British NHS number. */
export function isNhsValid(digits: string): boolean {
  const check = 11 - (weighted(digits.slice(0, 9), (index) => 10 - index) % 11)
  return digits.length === 10 && check % 11 === Number(digits[9]) && check !== 10
}

function weighted(digits: string, weight: (index: number) => number): number {
  return Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * weight(index), 0)
}
