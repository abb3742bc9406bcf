/**
 * Texts of the pages that links in emails open, in the languages of confirmation emails. `{name}`
 * is the name of the newsletter, `{address}` the masked address.
 */
import { directionOf } from '../../compose/layout.ts'
import { html, type Markup } from '../../http/html-document.ts'
import { pageWordsDe } from './page-words-de.ts'
import { type PageWords, pageWordsEn } from './page-words-en.ts'
import { pageWordsEs } from './page-words-es.ts'
import { pageWordsFr } from './page-words-fr.ts'

export interface PageLanguage {
  /** For the `lang` attribute. */
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: PageWords
}

const languages: Readonly<Record<string, PageWords>> = {
  en: pageWordsEn,
  de: pageWordsDe,
  fr: pageWordsFr,
  es: pageWordsEs,
}

/** Falls back to English when the newsletter's language is none of these. */
export function pageLanguage(locale: string | undefined): PageLanguage {
  const wanted = (locale ?? '').toLowerCase().split('-', 1)[0]!
  const language = Object.hasOwn(languages, wanted) ? wanted : 'en'
  return { language, direction: directionOf(language), words: languages[language]! }
}

/** Fills a title, which contains no markup. */
export function fillWords(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w{1,20})\}/g, (braces, key: string) => values[key] ?? braces)
}

/** Fills a body: values are escaped and the address is emphasised. */
export function fillMarkup(text: string, values: Readonly<Record<string, string>>): Markup {
  const pieces = text.split(/(\{\w{1,20}\})/).map((piece) => {
    const value = values[piece.slice(1, -1)]
    if (!piece.startsWith('{') || value === undefined) return html`${piece}`
    return piece === '{address}' ? html`<strong>${value}</strong>` : html`${value}`
  })
  return html`${pieces}`
}
