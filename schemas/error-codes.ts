/** One table for the whole product: stable code, HTTP status, and the sentence a person reads. */
export const errorCodes = {
  invalid_request: [400, 'The request is not valid.'],
  invalid_cursor: [400, 'The cursor is not one that this list returned.'],
  missing_credentials: [401, 'No credentials were sent.'],
  invalid_credentials: [401, 'The credentials are not valid.'],
  missing_scope: [403, 'The access token lacks the scope this needs.'],
  not_found: [404, 'There is nothing here.'],
  method_not_allowed: [405, 'This method is not allowed here.'],
  conflict: [409, 'The change conflicts with what is stored.'],
  issue_merged: [409, 'This issue was merged into another one.'],
  too_large: [413, 'The request body is too large.'],
  unsupported_media_type: [415, 'This content type is not supported.'],
  rate_limited: [429, 'Too many requests.'],
  internal: [500, 'Something went wrong on our side.'],
  unavailable: [503, 'A store this needs does not answer; try again shortly.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>
export type ErrorCode = keyof typeof errorCodes

/** An error that maps to the wire as it is. The cause stays in the logs. */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: readonly FieldError[] | undefined

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: readonly FieldError[]; cause?: unknown } = {},
  ) {
    super(options.message ?? errorCodes[code][1], { cause: options.cause })
    this.code = code
    this.details = options.details
  }
}

/** Names the field and the rule that it broke. */
export interface FieldError {
  readonly field: string
  readonly rule: string
  /** Index of the character at which a text goes wrong. */
  readonly position?: number
}
