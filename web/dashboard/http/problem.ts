/** An error reply of the API: `{ error, code, details? }`, with the id of its request. */

export interface ProblemDetail {
  readonly field: string
  readonly rule: string
  /** Index of the first wrong character of the field, from 0. */
  readonly position?: number
  readonly start?: number
  readonly end?: number
}

export class Problem extends Error {
  /** 0 when there was no reply. */
  readonly status: number
  readonly code: string
  readonly details: readonly ProblemDetail[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  private constructor(
    message: string,
    given: Pick<Problem, 'status' | 'code' | 'details' | 'requestId' | 'retryAfterSeconds'>,
    cause?: unknown,
  ) {
    super(message, { cause })
    this.name = 'Problem'
    this.status = given.status
    this.code = given.code
    this.details = given.details
    this.requestId = given.requestId
    this.retryAfterSeconds = given.retryAfterSeconds
  }

  static async of(response: Response): Promise<Problem> {
    const requestId = response.headers.get('x-request-id') ?? undefined
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
    const body = await response.json().catch(() => undefined)
    const { error, code, details } = isRecord(body) ? body : {}
    const message =
      typeof error === 'string' ? error : `The server answered with status ${response.status}.`
    return new Problem(message, {
      status: response.status,
      code: typeof code === 'string' ? code : 'unknown',
      details: Array.isArray(details) ? details : [],
      requestId,
      retryAfterSeconds,
    })
  }

  static unreachable(cause: unknown): Problem {
    const message = 'The server cannot be reached. Check the connection and try again.'
    const none = { details: [], requestId: undefined, retryAfterSeconds: undefined }
    return new Problem(message, { status: 0, code: 'unreachable', ...none }, cause)
  }

  get isLoginEnded(): boolean {
    return this.status === 401
  }

  /** Whether the same request may succeed later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** The rule that a field breaks, for the text below the field. */
  ruleOf(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.rule
  }
}

/** For a person. Errors that are no reply, such as a given up login, have a message too. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function asProblem(error: unknown): Problem | undefined {
  return error instanceof Problem ? error : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
