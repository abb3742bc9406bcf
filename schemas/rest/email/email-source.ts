/**
 * The source of an email: subject, preview text, and either HTML or Markdown (email-api: Campaign,
 * POST /send).
 */
import { z } from 'zod'

export const subjectCharactersMax = 255
export const emailBytesMax = 1024 * 1024
/** JSON may need more bytes than the email in it. */
export const emailBodyBytesMax = 3 * 1024 * 1024

/** Postgres stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** One line of text; control characters become spaces. */
function line(charactersMax: number) {
  return z
    .string()
    .transform((text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim())
    .refine((text) => text.length <= charactersMax, `must have at most ${charactersMax} characters`)
    .refine((text) => !unstorable.test(text), 'must be well-formed Unicode')
}

const Source = z
  .string()
  .refine((text) => !unstorable.test(text), 'must be well-formed Unicode without NUL')
  .refine(
    (text) => text.length <= emailBytesMax && new Blob([text]).size <= emailBytesMax,
    'must have at most 1 MiB',
  )
  .transform((text) => (text.trim() === '' ? undefined : text))

/** Spread into the schema of a body; `oneBody` tells whether the two sources are one. */
export const emailFields = {
  subject: line(subjectCharactersMax)
    .refine((text) => text !== '', 'must not be blank')
    .describe('1 to 255 characters, with placeholders.'),
  previewText: line(subjectCharactersMax)
    .transform((text) => (text === '' ? undefined : text))
    .nullish()
    .describe('Shown by mail clients beside the subject.'),
  html: Source.nullish().describe('A document or a fragment. Either this or `markdown`.'),
  markdown: Source.nullish().describe('CommonMark with tables. Either this or `html`.'),
} as const

interface EmailBodies {
  readonly html?: string | null | undefined
  readonly markdown?: string | null | undefined
}

export function isOneBody({ html, markdown }: EmailBodies): boolean {
  return (html ?? undefined) === undefined ? (markdown ?? undefined) !== undefined : !markdown
}

/** For `refine`, after the object: neither and both are errors. */
export const oneBodyRule = {
  error: 'must be given, or markdown instead, and not both',
  path: ['html'],
}
