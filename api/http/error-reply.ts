/**
 * The only place that turns an error into a reply: its code and HTTP status, one sentence, and the
 * fields at fault. An error without a code is a defect in Sluice: it is logged with its cause, and
 * the client gets `internal` without details.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { CodedError, type ErrorCode, errorCodes } from '#schemas/error-codes.ts'
import type { Problem } from '#schemas/rest/problem.ts'

/** `Retry-After` of a 503: a store that restarts is back within seconds. */
const unavailableRetrySeconds = 5

export function replyWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const coded = beginErrorReply(error, request, reply)
  // The serializer of the route may be set already, and it knows the replies of the route only.
  reply
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problemOf(coded))
}

/** Sets the status and the header fields of an error, and logs it if it is ours. */
export function beginErrorReply(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): CodedError {
  const coded = toCodedError(error)
  const [status] = errorCodes[coded.code]
  // A full queue is not a failure; the metrics count it as a reply.
  if (status >= 500 && coded.code !== 'busy' && coded.code !== 'streams_full') {
    const route = request.routeOptions.url
    request.log.error(
      { code: `request_${coded.code}`, err: coded.cause ?? coded, method: request.method, route },
      'A request failed with a server error.',
    )
  }
  const retrySeconds =
    coded.retryAfterSeconds ?? (status === 503 ? unavailableRetrySeconds : undefined)
  if (retrySeconds !== undefined) reply.header('retry-after', retrySeconds)
  // RFC 9110 §11.6.1: a 401 names the authentication scheme.
  if (coded.code === 'missing_key' || coded.code === 'invalid_key') {
    reply.header('www-authenticate', 'Bearer')
  }
  reply.code(status)
  return coded
}

export function problemOf(error: CodedError): Problem {
  const details = error.details?.map(({ field, rule, position, end }) => ({
    field,
    rule,
    ...(position === undefined ? {} : { position }),
    ...(end === undefined ? {} : { end }),
  }))
  return { error: error.message, code: error.code, ...(details === undefined ? {} : { details }) }
}

const codeOfStatus = new Map<number, ErrorCode>([
  [400, 'validation_failed'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [413, 'body_too_large'],
  // A path segment that is longer than any id.
  [414, 'not_found'],
  [415, 'unsupported_media_type'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
])

function toCodedError(error: unknown): CodedError {
  if (error instanceof CodedError) return error
  const { statusCode, message } = error as FastifyError
  const isOurs = statusCode === undefined || statusCode < 400 || statusCode >= 500
  const code = codeOfStatus.get(statusCode ?? 500) ?? (isOurs ? undefined : 'validation_failed')
  if (code === undefined) return new CodedError('internal', { cause: error })
  return new CodedError(code, code === 'validation_failed' ? { message } : {})
}
