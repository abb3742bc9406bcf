/**
 * Maps a failed query to the response of ClickHouse: HTTP status, error code in a header, message
 * as the body.
 */
export interface ClickHouseFailure {
  readonly code: number
  readonly status: number
  readonly text: string
}

const unknownException = 1002

const statusByCode: ReadonlyMap<number, number> = new Map(
  Object.entries({
    // The query or its data is malformed.
    400: [
      6, 20, 25, 26, 27, 32, 33, 36, 38, 41, 42, 43, 44, 50, 53, 62, 69, 70, 72, 117, 130, 131, 179,
      184, 354, 386, 456, 457, 489,
    ],
    401: [194, 516],
    403: [164, 193, 497],
    // The query names something that does not exist.
    404: [15, 16, 46, 47, 56, 60, 73, 80, 81, 115, 192],
    408: [159],
    413: [223, 307],
    501: [48],
    503: [202],
  }).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
)

/** An error of the HTTP layer itself, in the form of a ClickHouse error. */
export class ClickHouseRefusal extends Error {
  override readonly name = 'ClickHouseRefusal'
  readonly failure: ClickHouseFailure

  constructor(code: number, status: number, errorName: string, text: string) {
    super(text)
    this.failure = { code, status, text: `Code: ${code}. DB::Exception: ${text}. (${errorName})` }
  }
}

export function failureOf(error: unknown): ClickHouseFailure {
  if (error instanceof ClickHouseRefusal) return error.failure
  const message = error instanceof Error ? error.message : String(error)
  const code = Number(/^Code:\s*(\d+)/.exec(message)?.[1] ?? unknownException)
  const text = message.startsWith('Code:')
    ? message
    : `Code: ${code}. DB::Exception: ${message}. (UNKNOWN_EXCEPTION)`
  return { code, status: statusByCode.get(code) ?? 500, text }
}
