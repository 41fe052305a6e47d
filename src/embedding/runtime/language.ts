import { eld } from "eld/extrasmall"

/** Whether texts are in English as far as their letters tell; what tells nothing, such as a command line, counts as such. */
export function isEnglish(...texts: readonly string[]): boolean {
  const { language } = eld.detect(texts.join(" "))
  return language === "en" || language === ""
}
