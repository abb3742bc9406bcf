/** The refusals that the page has a sentence for: an error code, and a field or limit. */
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
