/** Calls a tool: its scope, its input, its action, and the result or the error that models read. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { CodedError, errorCodes } from '#schemas/error-codes.ts'
import { untrustedBlock, untrustedNotice } from '../briefs/untrusted-text.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { allTools } from './all-tools.ts'
import type { Tool, ToolAnswer, ToolCall } from './tool.ts'

const toolsByName: ReadonlyMap<string, Tool> = new Map(allTools.map((tool) => [tool.name, tool]))

/** Characters of the text of a result, and of one item in it. */
const textCharactersMax = 100_000
const itemCharactersMax = 6_000

/** The tools that the scopes of the token open. */
export function toolsOf({ caller }: ToolCall): Tool[] {
  return allTools.filter(({ scopes }) => scopes.some((scope) => caller.scopes.includes(scope)))
}

/** Errors are results, so that the model reads them; only an unknown tool is a protocol error. */
export async function callTool(
  call: ToolCall,
  { name, args }: { name: string; args: unknown },
): Promise<CallToolResult> {
  const tool = toolsByName.get(name)
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.')
  }
  try {
    requireScopeOf(call, tool)
    const input = checkValue(tool.input, args, 'arguments')
    if (!input.success) throw invalidFields(input.errors)
    return resultOf(await tool.run(call, input.data))
  } catch (error) {
    return errorResult(call, tool, error)
  }
}

function requireScopeOf({ caller }: ToolCall, { name, scopes }: Tool): void {
  if (scopes.some((scope) => caller.scopes.includes(scope))) return
  throw new CodedError('missing_scope', {
    message: `The access token lacks the scope ${scopes.join(' or ')}, which ${name} needs.`,
  })
}

function resultOf({ data, text }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: text ?? textOf(data) }],
    structuredContent: { notice: untrustedNotice, ...data },
  }
}

/** One line of JSON for each item. The other fields of a list are counts and cursors: trusted. */
function textOf(data: ToolAnswer['data']): string {
  const { items, ...rest } = data
  const isList = Array.isArray(items)
  const lines = (isList ? items : [data]).map((item: unknown) => JSON.stringify(item))
  const head = isList ? `Items: ${lines.length}. ${JSON.stringify(rest)}\n\n` : ''
  if (lines.length === 0) return head.trim()
  return `${head}${untrustedNotice}\n\n${untrustedBlock(lines, textCharactersMax, itemCharactersMax)}`
}

function errorResult({ request }: ToolCall, tool: Tool, error: unknown): CallToolResult {
  const coded = error instanceof CodedError ? error : new CodedError('internal', { cause: error })
  if (errorCodes[coded.code][0] >= 500 && coded.code !== 'busy') {
    request.log.error(
      { code: `request_${coded.code}`, err: coded.cause ?? coded, tool: tool.name },
      'A tool call failed with a server error.',
    )
  }
  const [, ...others] = coded.details ?? []
  const lines = [
    `Error ${coded.code}: ${coded.message}`,
    ...others.map(({ field, rule }) => `\`${field}\`: ${rule}.`),
  ]
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true }
}
