/**
 * Sentences for refusals of the public API, in the language of the page, by error code and field.
 * Messages of the API are for developers and are never shown. web/portal/portal-api.js uses the
 * same sentences.
 */
import type { ApiReply } from './page-api.ts'
import type { Words } from './words/words.ts'

export const refusalKeys = [
  'validation_failed:title',
  'validation_failed:description',
  'validation_failed:body',
  'validation_failed:enduser_email',
  'validation_failed:parent_id',
  'validation_failed:enduser_id',
  'token_required',
  'token_invalid',
  'token_expired',
  'blocked',
  'suggestions_closed',
  'comments_closed',
  'thread_full',
  'not_found',
  'body_too_large',
  'unavailable',
  'rate_limited',
  'rate_limited:read',
  'rate_limited:page',
  'rate_limited:vote',
  'rate_limited:suggest',
  'rate_limited:suggest_hour',
  'rate_limited:suggest_portal',
  'rate_limited:comment',
] as const
export type RefusalKey = (typeof refusalKeys)[number]

export interface RefusedBody {
  readonly error?: string
  readonly code?: string
  readonly details?: readonly { readonly field: string; readonly rule: string }[]
}

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
