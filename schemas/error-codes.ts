/** One table for the whole product: stable code, HTTP status, and the sentence a person reads. */
export const errorCodes = {
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  blocked_domain: [400, 'Addresses of this domain are blocked.'],
  too_complex: [
    400,
    'This text takes too long to compose. Shorten it, or use fewer elements, styles and levels of nesting.',
  ],
  unknown_placeholder: [400, 'The text holds placeholders that nothing fills.'],
  too_many_attribs: [400, 'A contact has at most 50 attributes.'],
  token_required: [400, 'This project takes writes only with a signed token of its user.'],
  token_invalid: [400, 'The token is not valid.'],
  token_expired: [400, 'The token has expired.'],
  blocked: [400, 'This user may not write here.'],
  suggestions_closed: [400, 'This portal takes no new ideas.'],
  comments_closed: [400, 'This portal takes no comments.'],
  thread_full: [400, 'This thread takes no more replies.'],
  invalid_cursor: [400, 'The cursor is not one that this list returned.'],
  missing_credentials: [401, 'No credentials were sent.'],
  invalid_credentials: [401, 'The credentials are not valid.'],
  missing_key: [401, 'Send an API key: Authorization: Bearer emk_….'],
  invalid_key: [401, 'The API key is not valid.'],
  wrong_password: [401, 'The address or the password is wrong.'],
  missing_scope: [403, 'The access token lacks the scope this needs.'],
  missing_role: [403, 'Your role does not allow this.'],
  csrf_failed: [403, 'Send the header X-CSRF-Token with the value of GET /me.'],
  origin_not_allowed: [403, 'This origin is not on the list of the project.'],
  not_found: [404, 'There is nothing here.'],
  newsletter_not_found: [404, 'There is no newsletter with this slug.'],
  method_not_allowed: [405, 'This method is not allowed here.'],
  conflict: [409, 'The change conflicts with what is stored.'],
  suppressed: [409, 'Mail to this address is suppressed.'],
  archive_slug_taken: [409, 'Another issue of this newsletter has this archiveSlug.'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running.'],
  issue_merged: [409, 'This issue was merged into another one.'],
  body_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'This content type is not supported.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was sent with another request.'],
  rate_limited: [429, 'Too many requests.'],
  internal: [500, 'Something went wrong on our side.'],
  busy: [503, 'Too many emails are being composed. Send the request again in a few seconds.'],
  unavailable: [503, 'A store this needs does not answer; try again shortly.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>
export type ErrorCode = keyof typeof errorCodes

interface CodedErrorOptions {
  readonly message?: string
  readonly details?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An error that maps to the wire as it is. The cause stays in the logs. */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: readonly FieldError[] | undefined
  /** After how many seconds the request may succeed: the header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, options: CodedErrorOptions = {}) {
    super(options.message ?? errorCodes[code][1], { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Names the field and the rule that it broke. */
export interface FieldError {
  readonly field: string
  readonly rule: string
  /** Index of the character at which a text goes wrong. */
  readonly position?: number
}
