/**
 * All replies of the service. The status line and headers are built when the process starts: every
 * reply has CORS headers, without which a browser hides it from its SDK, and writing them one by
 * one would cost more than reading the request.
 */
import type { EventId } from '#schemas/ids.ts'
import { envelopeBytesMax, requestBytesMax } from '#schemas/limits.ts'

export interface Reply {
  readonly status: number
  /**
   * Status line and headers, separated by CRLF; Content-Length is added on sending. Bytes, because
   * encoding such a long string costs a microsecond per reply.
   */
  readonly head: Uint8Array
  readonly body: string | Uint8Array
}

const corsHeaders = [
  'Access-Control-Allow-Origin: *',
  'Access-Control-Allow-Methods: POST, GET, OPTIONS',
  'Access-Control-Allow-Headers: x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, authorization, content-encoding, transfer-encoding, sentry-trace, baggage',
  'Access-Control-Expose-Headers: x-sentry-error, x-sentry-rate-limits, retry-after',
  'Access-Control-Max-Age: 3600',
  'Cross-Origin-Resource-Policy: cross-origin',
]

const statusLines = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
} as const
export type Status = keyof typeof statusLines

/** A reply with a content type of its own. */
export function plainReply(status: Status, contentType: string, body: Reply['body']): Reply {
  return { status, head: headOf(status, [`Content-Type: ${contentType}`]), body }
}

const okHead = headOf(200, ['Content-Type: application/json'])

export const replyEmpty: Reply = { status: 200, head: okHead, body: '{}' }
export const replyCreated: Reply = {
  status: 201,
  head: headOf(201, ['Content-Type: application/json']),
  body: '[]',
}
export const replyPreflight: Reply = { status: 200, head: headOf(200, []), body: '' }

/** For jobs without an SDK. Their `curl --fail` must fail only when the call itself is wrong. */
export const replyCheckedIn: Reply = {
  status: 202,
  head: headOf(202, ['Cache-Control: no-store']),
  body: '',
}

export function replyTaken(eventId: EventId): Reply {
  return { status: 200, head: okHead, body: `{"id":"${eventId}"}` }
}

/**
 * @param detail one ASCII sentence. It is also sent as a header, which SDKs print in their debug
 * logs.
 */
export function replyFailure(
  status: Status,
  detail: string,
  causes: readonly string[] = [],
  headers: readonly string[] = [],
): Reply {
  return {
    status,
    head: headOf(status, [
      'Content-Type: application/json',
      `X-Sentry-Error: ${oneLine(detail)}`,
      ...headers,
    ]),
    body: JSON.stringify({ detail, causes }),
  }
}

export const replyNoCredentials = replyFailure(401, 'missing authorization information', [
  'send the public key as the sentry_key query parameter, in X-Sentry-Auth, or as the dsn of the envelope header',
])
export const replyUnknownKey = replyFailure(403, 'the DSN key is unknown or disabled', [
  'check the DSN against the project settings',
])
export const replyOtherProject = replyFailure(403, 'the DSN key belongs to another project', [
  'the project id in the path must be the one of the DSN',
])
export const replyOtherOrigin = replyFailure(403, 'the origin of the page is not allowed', [
  'add it to the allowed origins in the project settings',
])
export const replyNotFound = replyFailure(404, 'there is nothing at this path', [
  'events are taken at /api/{project_id}/envelope/, /api/{project_id}/store/ and /api/{project_id}/otlp/v1/logs',
])
export function replyMethodNotAllowed(methods: readonly string[]): Reply {
  const allowed = methods.map((method) => method.toUpperCase())
  return replyFailure(
    405,
    `only ${allowed.join(' and ')} is allowed here`,
    [],
    [`Allow: ${[...allowed, 'OPTIONS'].join(', ')}`],
  )
}
export const replyInternal = replyFailure(500, 'something went wrong on our side')

/**
 * SDKs drop what is answered with 503, so it is the last resort. The wait is short, to lose little.
 */
export const replyOverloaded = unavailable('the service is overloaded')
export const replyKeysUnavailable = unavailable('the DSN key cannot be checked now')
export const replyNotAcknowledged = unavailable('the events could not be stored in time')
export const replyBodyTooSlow = unavailable('the request body did not arrive in time')

function unavailable(detail: string): Reply {
  return replyFailure(503, detail, ['try again shortly'], ['Retry-After: 5'])
}

export function replyTooLarge(what: string, bytesMax: number): Reply {
  return replyFailure(413, `${what} is too large`, [`at most ${bytesMax} bytes are taken`])
}

export const replyBodyTooLarge = replyTooLarge('request body', requestBytesMax)
export const replyInflatedTooLarge = replyTooLarge('decompressed request body', envelopeBytesMax)
export const replyUnknownEncoding = replyFailure(415, 'the Content-Encoding is not supported', [
  'use gzip, deflate, br, zstd or none',
])
export const replyAmbiguousLength = replyFailure(400, 'the length of the body is ambiguous', [
  'send one Content-Length, or Transfer-Encoding: chunked',
])
export const replyCorruptBody = replyFailure(400, 'the compressed body is corrupt or cut short')
export const replyBadProject = replyFailure(400, 'the project id is malformed', [
  'the project id in the path must be decimal digits',
])

function headOf(status: Status, headers: readonly string[]): Uint8Array {
  return Buffer.from([statusLines[status], ...headers, ...corsHeaders].join('\r\n'))
}

function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, ' ').slice(0, 200)
}
