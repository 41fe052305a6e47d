import { eld } from "eld/extrasmall"

/** Whether texts are English; a text of no recognisable language, such as a command, counts as English. */
export function isEnglish(...texts: readonly string[]): boolean {
  const { language } = eld.detect(texts.join(" "))
  return language === "en" || language === ""
}
