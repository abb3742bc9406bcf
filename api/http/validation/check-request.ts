/**
 * Checks every request before its handler. Text in the path, the query and the headers that no
 * store can hold is refused first (400), before authentication. The same check of the body, and the
 * check for unknown fields, follow after authentication. Then the schemas of the route validate the
 * request.
 */
import type { FastifyReply, FastifyRequest, FastifySchemaCompiler, RouteOptions } from 'fastify'
import { z } from 'zod'
import type { FieldError } from '#schemas/error-codes.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiInstance } from '../route.ts'
import { unknownFieldRule } from './closest-name.ts'
import { findHostileText, hasBrokenEncoding, isPlain } from './hostile-text.ts'
import { invalidField, invalidFields } from './invalid-field.ts'
import { type UnknownField, unknownFields } from './schema-fields.ts'
import { unknownFieldPolicy } from './unknown-field-policy.ts'
import { checkValue } from './validation-rules.ts'

const fieldsNamedMax = 20
const fieldCharactersMax = 100
const ignoredHeader = 'sluice-ignored-fields'

export interface CheckedRoute {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly querystring: unknown
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route ignores the rest of its path and its query: a script of its page reads them. */
    isPage?: true
  }
}

/** All routes with their request schemas, for tests that check each one. */
export function checkedRoutes(app: ApiInstance): readonly CheckedRoute[] {
  return app.getDecorator<CheckedRoute[]>('checkedRoutes')
}

/** Call before any route is registered. */
export function checkRequests(app: ApiInstance): void {
  const routes: CheckedRoute[] = []
  app.decorate('checkedRoutes', routes)
  app.setValidatorCompiler(compileValidator)
  app.addHook('onRequest', async (request) => {
    const isUnread = request.is404 || request.routeOptions.config.isPage === true
    if (!isUnread) refuseHostileAddress(request)
  })
  // A route hook runs after the hooks of all scopes, so a client that is refused there learns
  // nothing about the body of the route.
  app.addHook('onRoute', (route) => {
    route.preValidation = [...hooksOf(route), checkFields]
    const { schema, url } = route
    for (const method of [route.method].flat()) {
      routes.push({ method, url, body: schema?.body, querystring: schema?.querystring })
    }
    if (schema?.response === undefined) return
    const refusals = takesBody(route) ? { ...commonRefusals, ...bodyRefusals } : commonRefusals
    schema.response = { ...refusals, ...schema.response }
  })
}

/** Documents the replies that every route can give. */
const commonRefusals = { 400: Problem, 503: Problem }
const bodyRefusals = { 413: Problem, 415: Problem }

function takesBody({ method }: RouteOptions): boolean {
  return [method].flat().some((name) => name !== 'GET' && name !== 'HEAD')
}

function hooksOf({ preValidation = [] }: RouteOptions): Extract<typeof preValidation, unknown[]> {
  return [preValidation].flat() as Extract<typeof preValidation, unknown[]>
}

const placeOf: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const place = placeOf[httpPart ?? ''] ?? 'query'
  return (value: unknown) => {
    const checked = checkValue(schema, value, place)
    if (checked.success) return { value: checked.data }
    const [first, ...others] = checked.errors
    if (httpPart !== 'headers') return { error: invalidFields([first, ...others]) }
    return { error: invalidFields([withHeaderName(first), ...others.map(withHeaderName)]) }
  }
}

/** Formats a header name as in documentation: `Idempotency-Key`. */
function withHeaderName({ field, rule }: FieldError): FieldError {
  return { field: field.replace(/\b[a-z]/g, (email) => email.toUpperCase()), rule }
}

function refuseHostileAddress(request: FastifyRequest): void {
  const { url } = request
  if (url.includes('?') && hasBrokenEncoding(url.slice(url.indexOf('?') + 1))) {
    throw invalidField('query', 'must be percent-encoded UTF-8')
  }
  const error =
    findHostileText(request.params, 'path') ??
    findHostileText(request.query, 'query') ??
    findHostileText(request.headers, 'headers')
  if (error !== undefined) throw invalidFields([error])
}

async function checkFields(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { url = '', schema, config } = request.routeOptions
  if (config.isPage === true) return
  const error = findHostileText(request.body, 'body')
  if (error !== undefined) throw invalidFields([error])
  if (!url.startsWith('/api/') && unknownFieldPolicy(url) === 'ignore') return
  const unknown = [
    ...unknownIn(schema?.querystring, request.query),
    ...(isPlain(request.body) ? unknownIn(schema?.body, request.body) : []),
  ]
  if (unknown.length === 0) return
  if (unknownFieldPolicy(url) === 'ignore') {
    reply.header(ignoredHeader, headerText(unknown))
    return
  }
  const [first, ...others] = unknown.slice(0, fieldsNamedMax).map(errorOf)
  if (first !== undefined) throw invalidFields([first, ...others])
}

/** A route without a schema for this part of the request accepts no fields there. */
function unknownIn(schema: unknown, value: unknown): UnknownField[] {
  return unknownFields(schema instanceof z.core.$ZodType ? schema : z.object({}), value)
}

function errorOf({ path, known }: UnknownField): FieldError {
  const name = path.at(-1) ?? ''
  return {
    field: path.join('.').slice(0, fieldCharactersMax),
    rule: unknownFieldRule(name, known),
  }
}

/** Percent-encodes names with characters that a proxy might not accept in a header. */
function headerText(unknown: readonly UnknownField[]): string {
  return unknown
    .slice(0, fieldsNamedMax)
    .map(({ path }) => path.map(encodeURIComponent).join('.').slice(0, fieldCharactersMax))
    .join(', ')
}
