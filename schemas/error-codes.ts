/** All error codes of the product with the HTTP status and the message that people read. */
export const errorCodes = {
  validation_failed: [400, 'The request is invalid.'],
  invalid_json: [400, 'The request body is not valid JSON.'],
  blocked_domain: [400, 'Addresses of this domain are blocked.'],
  too_complex: [
    400,
    'This email takes too long to compose. Shorten it, or use fewer elements, styles and nesting levels.',
  ],
  unknown_placeholder: [400, 'The text contains unknown placeholders.'],
  too_many_attribs: [400, 'A contact can have at most 50 attributes.'],
  token_required: [400, 'This project requires a signed token of the user for writes.'],
  token_invalid: [400, 'The token is invalid.'],
  token_expired: [400, 'The token has expired.'],
  blocked: [400, 'This user is blocked and cannot write to this portal.'],
  suggestions_closed: [400, 'This portal does not accept new ideas.'],
  comments_closed: [400, 'This portal does not accept comments.'],
  thread_full: [400, 'This thread has reached its maximum number of replies.'],
  invalid_cursor: [400, 'The cursor is invalid. Use a cursor that this list returned.'],
  missing_credentials: [401, 'Credentials are missing.'],
  invalid_credentials: [401, 'The credentials are invalid.'],
  missing_key: [401, 'The API key is missing. Send it as Authorization: Bearer emk_….'],
  invalid_key: [401, 'The API key is invalid.'],
  wrong_password: [401, 'The email address or the password is wrong.'],
  missing_scope: [403, 'The access token lacks the required scope.'],
  missing_role: [403, 'Your role does not allow this operation.'],
  csrf_failed: [
    403,
    'The CSRF token is missing or invalid. Send csrf_token of GET /me in the header X-CSRF-Token.',
  ],
  origin_not_allowed: [403, 'This origin is not an allowed origin of the project.'],
  not_found: [404, 'The resource was not found.'],
  other_organization: [404, 'The project belongs to another organization of yours.'],
  newsletter_not_found: [404, 'No newsletter has this slug.'],
  method_not_allowed: [405, 'This method is not allowed for this path.'],
  conflict: [409, 'The change conflicts with the stored state.'],
  suppressed: [409, 'This address is suppressed: no email is sent to it.'],
  changed_meanwhile: [409, 'Somebody else has changed it since you read it. Read it again.'],
  archive_slug_taken: [409, 'Another campaign of this newsletter has this archiveSlug.'],
  idempotency_in_progress: [409, 'A request with this Idempotency-Key is still running.'],
  issue_merged: [409, 'This issue was merged into another one.'],
  body_too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'This content type is not supported.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was sent with another request.'],
  rate_limited: [429, 'Too many requests.'],
  too_many_streams: [429, 'This login has too many live connections. Close some of its tabs.'],
  internal: [500, 'An internal error occurred.'],
  busy: [503, 'Too many emails are being composed. Send the request again in a few seconds.'],
  streams_full: [503, 'This server has too many live connections. Retry in a few seconds.'],
  unavailable: [503, 'A service that this request needs is unavailable. Retry in a few seconds.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>
export type ErrorCode = keyof typeof errorCodes

interface CodedErrorOptions {
  readonly message?: string
  readonly details?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An error whose code, message and details are sent in the reply. The cause is only logged. */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: readonly FieldError[] | undefined
  /** Seconds after which a retry may succeed, sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, options: CodedErrorOptions = {}) {
    super(options.message ?? errorCodes[code][1], { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A field and the rule that it broke. */
export interface FieldError {
  readonly field: string
  readonly rule: string
  /** Index of the first wrong character of a text. */
  readonly position?: number
  /** Index behind the last wrong character; `position` if something is missing there. */
  readonly end?: number
}
