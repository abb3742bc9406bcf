/**
 * Sentences for refusals of the public API, in the language of the page, by error code and field.
 * Messages of the API are for developers and are never shown. web/portal/portal-api.js uses the
 * same sentences.
 */
import type { ApiReply } from '../page-api.ts'
import type { Words } from './page-words.ts'
import type { RefusalKey, RefusedBody } from './refusal-keys.ts'

/** The most specific sentence; `failed` for errors that a visitor cannot correct. */
export function refusalSentence(
  { refusals, failed }: Pick<Words, 'refusals' | 'failed'>,
  { body, limit }: Pick<ApiReply<RefusedBody>, 'body' | 'limit'>,
): string {
  const code = body.code ?? ''
  const field = body.details?.[0]?.field ?? ''
  const keys = [`${code}:${field}`, code] as readonly RefusalKey[]
  const key = keys.find((key) => Object.hasOwn(refusals, key))
  const sentence = key === undefined ? failed : refusals[key]
  return sentence.replace('{count}', limit === undefined ? '' : String(limit))
}
