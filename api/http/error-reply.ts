/**
 * The one place where an error becomes a reply: a code of the table and its HTTP status, one
 * sentence, and the fields at fault. Whatever has no code is a mistake of ours: it is logged with its
 * cause, and the client learns nothing but that.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { CodedError, type ErrorCode, errorCodes, type FieldError } from '#schemas/error-codes.ts'
import type { Problem } from '#schemas/rest/problem.ts'
import { invalidFields } from './invalid-field.ts'

/** A store that is restarting is back within seconds. */
const unavailableRetrySeconds = 5
const unknownFieldsNamedMax = 20
const fieldCharactersMax = 100

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

/** Of Fastify's own sentences only those about a body that cannot be read say more than ours. */
const unreadableJson: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_JSON_BODY',
  'FST_ERR_CTP_EMPTY_JSON_BODY',
])

function toCodedError(error: unknown): CodedError {
  if (error instanceof CodedError) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const place = error.validationContext === 'body' ? 'body' : 'query'
    const details = error.validation.flatMap((issue) => fieldErrors(issue, place))
    return invalidFields(details as [FieldError, ...FieldError[]])
  }
  const { statusCode, message, code: fastifyCode } = error as FastifyError
  if (unreadableJson.has(fastifyCode)) return new CodedError('invalid_json', { message })
  const isOurs = statusCode === undefined || statusCode < 400 || statusCode >= 500
  const code = codeOfStatus.get(statusCode ?? 500) ?? (isOurs ? undefined : 'validation_failed')
  if (code === undefined) return new CodedError('internal', { cause: error })
  return new CodedError(code, code === 'validation_failed' ? { message } : {})
}

/** At least one for each issue; an object with unknown fields gives one for every such field. */
function fieldErrors(
  issue: { instancePath: string; message?: string; params: Record<string, unknown> },
  place: string,
): FieldError[] {
  const { keys } = issue.params
  const path = issue.instancePath.split('/').filter((part) => part !== '')
  if (Array.isArray(keys) && keys.length > 0) {
    return keys.slice(0, unknownFieldsNamedMax).map((key) => ({
      field: [...path, String(key)].join('.').slice(0, fieldCharactersMax),
      rule: place === 'body' ? 'is not a field that can be set here' : 'is not known here',
    }))
  }
  return [{ field: path.join('.') || place, rule: issue.message ?? 'is not valid' }]
}
