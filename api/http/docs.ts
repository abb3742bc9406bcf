/**
 * `/docs`: the routes as OpenAPI, generated from the schemas that validate requests and replies.
 * The build writes the document (dev/web/write-from-routes.ts).
 */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { OpenApiFiles, type OpenApiFormat } from './openapi-files.ts'

const description = `
The API of Sluice: errors, newsletters and ideas.

Send an access token as \`X-API-Key: oat_…\`. Create it on the command line
(\`npm run admin -- access-token create --label my-script\`), which prints its value once. It opens all
projects of its organization, within its scopes. Each token has 300 requests per minute: see the
\`RateLimit-*\` headers.

Assistants call \`POST /mcp\` with the same token as \`Authorization: Bearer oat_…\`; \`/llms.txt\`
lists the documentation.

Lists take \`limit\` (1 to 100) and \`cursor\`, and return \`{ items, next_cursor }\`. Times are ISO 8601
in UTC. Errors are \`{ error, code, details? }\`; \`details\` names each invalid field and its rule.

Unknown fields of bodies and queries are refused (400, with the closest known field) by the administration, the
project routes, \`/send\` and \`/campaigns\`. The other routes ignore them and list them in the header
\`Sluice-Ignored-Fields\`. Email resources use camelCase, all others snake_case.
`

/**
 * Only resources of this server. The default policy of the plugin upgrades http to https, and some
 * installations serve http only.
 */
const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"

export async function registerDocs(app: FastifyInstance, apiUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Sluice API', version: '1', description: description.trim() },
      servers: [{ url: apiUrl }],
      components: {
        securitySchemes: {
          accessToken: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          apiKey: { type: 'http', scheme: 'bearer' },
          login: { type: 'apiKey', in: 'cookie', name: 'sluice_login' },
        },
      },
    },
    transform: createJsonSchemaTransform({}),
    transformObject: jsonSchemaTransformObject,
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    uiConfig: { deepLinking: true, tryItOutEnabled: true },
    uiHooks: { onRequest: sendsFiles(new OpenApiFiles(apiUrl)) },
  })
}

/** Replies in place of the plugin, which makes the document when it is first asked for it. */
function sendsFiles(files: OpenApiFiles) {
  return async ({ routeOptions }: FastifyRequest, reply: FastifyReply) => {
    const file = fileByRoute.get(routeOptions.url ?? '')
    if (file === undefined) return
    return reply.type(file.type).send(await files.read(file.format))
  }
}

const fileByRoute: ReadonlyMap<string, { format: OpenApiFormat; type: string }> = new Map([
  ['/docs/json', { format: 'json', type: 'application/json; charset=utf-8' }],
  ['/docs/yaml', { format: 'yaml', type: 'application/x-yaml' }],
])
