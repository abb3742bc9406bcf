/**
 * The one place where an error becomes a reply: a code of the table and its HTTP status, one
 * sentence, and the fields at fault. Whatever has no code is a mistake of ours: it is logged with its
 * cause, and the client learns nothing but that.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { CodedError, type ErrorCode, errorCodes } from '#schemas/error-codes.ts'
import type { Problem } from '#schemas/rest/problem.ts'

/** A store that is restarting is back within seconds. */
const unavailableRetrySeconds = 5

export function replyWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const coded = toCodedError(error)
  const [status] = errorCodes[coded.code]
  // What waits in line is no failure, and is counted as a reply.
  if (status >= 500 && coded.code !== 'busy') {
    const route = request.routeOptions.url
    request.log.error(
      { code: `request_${coded.code}`, err: coded.cause ?? coded, method: request.method, route },
      'A request failed on our side.',
    )
  }
  if (status === 503) reply.header('retry-after', unavailableRetrySeconds)
  // RFC 9110 §11.6.1: a refusal names the scheme that would have been taken.
  if (coded.code === 'missing_key' || coded.code === 'invalid_key') {
    reply.header('www-authenticate', 'Bearer')
  }
  // The error may have overtaken a serializer that only knows the route's own replies.
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problemOf(coded))
}

export function problemOf(error: CodedError): Problem {
  const details = error.details?.map(({ field, rule, position }) =>
    position === undefined ? { field, rule } : { field, rule, position },
  )
  return { error: error.message, code: error.code, ...(details === undefined ? {} : { details }) }
}

const codeOfStatus = new Map<number, ErrorCode>([
  [400, 'validation_failed'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [413, 'body_too_large'],
  // A part of the path that is longer than any id.
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
