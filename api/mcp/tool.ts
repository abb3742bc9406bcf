/** A tool of the MCP endpoint: an adapter over an action, like a route. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { Caller } from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'

/** The request that calls the tool. */
export interface ToolCall {
  readonly ctx: ApiContext
  readonly caller: Caller
  readonly request: FastifyRequest
}

export interface ToolAnswer {
  /** A JSON object. */
  readonly data: Readonly<Record<string, unknown>>
  /** Markdown for the model; by default `data` as JSON in a block marked as untrusted. */
  readonly text?: string
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** One of these scopes opens the tool. */
  readonly scopes: readonly AccessScope[]
  readonly annotations: ToolAnnotations
  readonly input: z.ZodType
  /** JSON Schema of `input`. */
  readonly inputSchema: { readonly type: 'object' } & Readonly<Record<string, unknown>>
  /** `args` is the output of `input`. */
  readonly run: (call: ToolCall, args: unknown) => Promise<ToolAnswer>
}

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Always false: tools reach this installation only. */
  readonly openWorldHint: false
}

export const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** Replaces a stored value. */
export const changing: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}
/** Creates something and changes nothing else. */
export const adding: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}

export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'inputSchema' | 'run'> & {
    readonly input: Input
    readonly run: (call: ToolCall, args: z.output<Input>) => Promise<ToolAnswer>
  },
): Tool {
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  const { $schema: _, ...inputSchema } = schema
  return {
    ...tool,
    inputSchema: { ...inputSchema, type: 'object' },
    run: (call, args) => tool.run(call, args as z.output<Input>),
  }
}
