import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"
import { escapeControls } from "../../../base/text/text.ts"
import { plainText } from "../items/plain-text.ts"

/** A page as text. All of it is untrusted. */
export interface ReadPage {
  title: string
  by: string
  site: string
  text: string
  isCut: boolean
}

/** Pages with more elements than this are not searched for an article. */
const mostElements = 20_000

/** Extracts the article of a page, or all its text if it has none. */
export function parsePage(html: string, longest: number): ReadPage {
  // Without an html element, the library takes the first element for the whole page.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html>${html}</html>`)
  const title = plainText(document.querySelector("title")?.textContent, 300)
  const article = readable(document)
  const text = lines(article?.textContent ?? bodyText(document))
  return {
    title: plainText(article?.title, 300) || title,
    by: plainText(article?.byline, 200),
    site: plainText(article?.siteName, 200),
    text: text.slice(0, longest).toWellFormed(),
    isCut: text.length > longest,
  }
}

type Dom = ReturnType<typeof parseHTML>["document"]

function readable(document: Dom): ReturnType<Readability["parse"]> {
  try {
    // It changes the document, so it gets a copy.
    const copy = document.cloneNode(true) as ConstructorParameters<typeof Readability>[0]
    return new Readability(copy, { maxElemsToParse: mostElements }).parse()
  } catch {
    return null
  }
}

function bodyText(document: Dom): string {
  for (const element of document.querySelectorAll("script, style, template, noscript")) element.remove()
  return document.body?.textContent ?? document.documentElement?.textContent ?? ""
}

/** The text without control and invisible characters, and with at most one empty line in a row. */
export function lines(text: string): string {
  return escapeControls(text.replaceAll("\r", "\n").replaceAll(/[^\S\n]+/g, " "))
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
