import { Readability } from "@mozilla/readability"
import { parseHTML } from "linkedom"
import { visible } from "../../../base/text/text.ts"
import { plainText } from "../items/plain-text.ts"

/** A page as a person would read it. All of it is others' text. */
export interface ReadPage {
  title: string
  by: string
  site: string
  text: string
  isCut: boolean
}

/** A page with more elements than this is no page that somebody reads. */
const mostElements = 20_000

/** Takes the article out of a page, or all its text where there is none. */
export function parsePage(html: string, longest: number): ReadPage {
  // The library takes the first element for the whole page, where no element says that it is.
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
    // It takes the document apart, and gives nothing for what is no article.
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

/** Lines without control characters, unseen ones, or more than one empty line between them. */
export function lines(text: string): string {
  return visible(text.replaceAll("\r", "\n").replaceAll(/[^\S\n]+/g, " "))
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
