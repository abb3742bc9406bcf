/**
 * Parts that all route files use: the typed instance, the caller, the project of the path, replies.
 */
import type { Readable } from 'node:stream'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { Caller } from '../auth/access-token.ts'
import type { StoredProject } from '../projects/project-store.ts'

export type ApiInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the access token needs. Every route below a project names one. */
    scope?: AccessScope
  }
}

export const ProjectPath = z.object({ project_id: z.string().describe("The project's UUID.") })

export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}

/** Undefined for an access token. */
export function personIdOf(request: FastifyRequest): string | undefined {
  const { type, id } = callerOf(request)
  return type === 'person' ? id : undefined
}

export function projectOf(request: FastifyRequest): StoredProject {
  return request.getDecorator<StoredProject>('project')
}

/** The success reply of a route, and the errors that every route has. */
export function replies<Success extends z.ZodType>(success: Success) {
  return {
    200: success,
    400: Problem,
    401: Problem,
    403: Problem,
    404: Problem,
    429: Problem,
    503: Problem,
  }
}

const fileSchemas = {
  csv: ['text/csv', z.string()],
  html: ['text/html', z.string()],
  jsonLines: ['application/x-ndjson', z.string()],
  json: ['application/json', z.array(z.record(z.string(), z.unknown()))],
} as const

/** The file that a route returns, in one of these formats, and the errors that every route has. */
export function fileReplies(...formats: readonly (keyof typeof fileSchemas)[]) {
  const content = formats.map((format) => {
    const [type, schema] = fileSchemas[format]
    // Files are streamed: the schema documents them and does not validate.
    return [type, { schema: schema as z.ZodType as z.ZodType<Readable> }] as const
  })
  return {
    ...replies(z.unknown()),
    200: { description: 'The file.', content: Object.fromEntries(content) },
  }
}

/** A success reply with the JSON value `null`. */
export const nullReply = {
  description: 'Accepted.',
  content: { 'application/json': { schema: z.null() } },
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the id in lower case. Text that is no UUID is answered with 404, as an unknown id is. */
export function requireUuid(text: string): string {
  if (!uuidPattern.test(text)) throw new CodedError('not_found')
  return text.toLowerCase()
}

export function found<T>(row: T | undefined): T {
  if (row === undefined) throw new CodedError('not_found')
  return row
}
