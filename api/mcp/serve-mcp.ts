/**
 * Serves one request of the Model Context Protocol without any state between requests: current
 * clients send a request that stands for itself, those of 2025 and before send `initialize` first.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { packageVersion } from '#platform/installation/package-version.ts'
import { untrustedNotice } from '../briefs/untrusted-text.ts'
import { callTool, toolsOf } from './call-tool.ts'
import type { ToolCall } from './tool.ts'

const serverInfo = { name: 'sluice', title: 'Sluice', version: packageVersion() }
const instructions = `Errors, releases, monitors, feedback and newsletters of a team. Begin with list_projects: most tools need a project_id. ${untrustedNotice} This holds for all text in results, too.`

/** `body` is the parsed JSON of the request; the SDK reads nothing from the socket. */
export async function serveMcp(
  call: ToolCall,
  { web, body }: { web: Request; body: unknown },
): Promise<Response> {
  if (await isLegacyRequest(web, body)) return serveLegacy(call, { web, body })
  const handler = createMcpHandler(() => serverFor(call), { legacy: 'reject' })
  return handler.fetch(web, { parsedBody: body })
}

async function serveLegacy(
  call: ToolCall,
  { web, body }: { web: Request; body: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = serverFor(call)
  await server.connect(transport)
  try {
    return await transport.handleRequest(web, { parsedBody: body })
  } finally {
    await server.close()
  }
}

/** One server for each request, because its tools depend on the scopes of the token. */
function serverFor(call: ToolCall): McpServer {
  const capabilities = { tools: { listChanged: false } }
  const mcp = new McpServer(serverInfo, { capabilities, instructions })
  // Not registerTool, whose errors of validation do not have the form of this API.
  mcp.server.setRequestHandler('tools/list', () => ({
    tools: toolsOf(call).map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations,
    })),
  }))
  mcp.server.setRequestHandler('tools/call', async ({ params }) =>
    mcp.server.projectCallToolResult(
      await callTool(call, { name: params.name, args: params.arguments ?? {} }),
      undefined,
    ),
  )
  return mcp
}
