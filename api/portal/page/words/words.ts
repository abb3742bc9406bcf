/** Texts of the page by language. Ideas and comments are not translated. */
import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { RefusalKey } from '../refusals.ts'
import { arabic } from './words-ar.ts'
import { german } from './words-de.ts'
import { english } from './words-en.ts'

export interface Words {
  readonly title: string
  readonly skip: string
  readonly all: string
  readonly byStatus: string
  readonly status: Readonly<Record<IdeaStatus, string>>
  readonly search: string
  readonly searchPlaceholder: string
  readonly sortBy: string
  readonly top: string
  readonly newest: string
  readonly tags: string
  readonly suggest: string
  readonly suggestShort: string
  readonly suggestThis: (text: string) => string
  readonly nothingFits: (text: string) => string
  readonly nothingHere: string
  readonly beFirst: string
  readonly found: (count: number) => string
  readonly more: string
  readonly votes: (count: number) => string
  readonly vote: (title: string) => string
  readonly comments: (count: number) => string
  readonly noComments: string
  readonly by: (name: string) => string
  readonly writtenOn: (title: string) => string
  readonly anonymous: string
  readonly team: string
  readonly back: string
  readonly history: string
  readonly suggested: string
  readonly moved: (status: string) => string
  readonly merged: string
  readonly unmerged: string
  readonly response: string
  readonly pending: string
  readonly pendingNote: string
  readonly pendingCommentNote: string
  /** Entry of a pending idea in its history. */
  readonly pendingEvent: string
  readonly duplicateNote: string
  readonly duplicateLink: string
  readonly deleted: string
  readonly reply: string
  readonly send: string
  readonly writeComment: string
  readonly writeReply: string
  readonly email: string
  readonly emailWhy: string
  readonly suggestTitle: string
  readonly suggestIntro: string
  readonly ideaTitle: string
  readonly ideaTitleHint: string
  readonly ideaText: string
  readonly ideaTextHint: string
  readonly similar: string
  readonly submit: string
  readonly signIn: string
  readonly poweredBy: string
  readonly feedNew: string
  readonly feedStatus: string
  readonly leaveEmpty: string
  readonly tooFast: string
  readonly failed: string
  readonly offline: string
  readonly voted: string
  readonly unvoted: string
  readonly notFound: string
  readonly notFoundText: string
  readonly unavailable: string
  readonly foreignForm: string
  readonly refusals: Readonly<Record<RefusalKey, string>>
}

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
