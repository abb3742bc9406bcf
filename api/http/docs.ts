/** `/docs`: the routes as OpenAPI, made from the same schemas that check requests and replies. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

const description = `
What Sluice knows of your projects, as JSON.

Send an access token as \`X-API-Key: oat_…\`. It is made on the command line
(\`npm run admin -- token create --label my-script\`) and shown once; it opens every project of its
organization, within its scopes. Each token has 300 requests a minute: see the \`RateLimit-*\` headers.

Lists take \`limit\` (1 to 100) and \`cursor\`, and reply \`{ items, next_cursor }\`. Times are ISO 8601
in UTC. Errors are \`{ error, code, details? }\`, with \`details\` naming each field and the rule it broke.

Fields of bodies and queries that a route does not know are refused (400, with the closest known field) by the
administration, the project routes, \`/send\` and \`/campaigns\`. The other routes ignore them and name them in the header
\`Sluice-Ignored-Fields\`. Email resources are camelCase, all others snake_case.
`

/** Everything from here. The plugin's own policy would turn http to https, which not every installation has. */
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
  })
}
