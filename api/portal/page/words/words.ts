/** Texts of the page by language. Ideas and comments are not translated. */
import type { Words } from './page-words.ts'
import { arabic } from './words-ar.ts'
import { german } from './words-de.ts'
import { english } from './words-en.ts'

const languages: Readonly<Record<string, Words>> = { en: english, de: german, ar: arabic }
const rightToLeft: ReadonlySet<string> = new Set([
  'ar',
  'fa',
  'he',
  'ur',
  'ps',
  'yi',
  'dv',
  'ckb',
  'sd',
  'ug',
])

export interface Language {
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Words
}

/** A locale without a translation has English texts, and its own numbers, dates and direction. */
export function languageOf(wanted: string | null | undefined): Language {
  const locale = knownLocale(wanted)
  const [language = 'en'] = locale.toLowerCase().split('-')
  return {
    locale,
    direction: rightToLeft.has(language) ? 'rtl' : 'ltr',
    words: languages[language] ?? english,
  }
}

function knownLocale(wanted: string | null | undefined): string {
  try {
    return Intl.getCanonicalLocales(wanted ?? 'en')[0] ?? 'en'
  } catch {
    return 'en'
  }
}
