/**
 * One casing for each resource, as docs/api.md says: names of email routes are camelCase, all
 * others snake_case.
 */
import { expect, test } from 'vitest'
import { ApiDocument, type JsonSchema } from '../../../test/fixtures/api-document.ts'
import { appWithoutStores } from '../../../test/fixtures/api-fixture.ts'

const emailRoutes = /^\/api\/v1\/(?:contacts|send|bounces|campaigns|admin\/email)(?:\/|$)/
/**
 * Files of contacts are read with their own columns; the mailbox and hooks are not part of the API.
 */
const others = /^\/(?:dev|hooks)\//

test('every field of a request has the casing of its resource', async () => {
  const app = await appWithoutStores()
  const document = new ApiDocument(app)
  const wrong: string[] = []
  let count = 0
  for (const { name, template, parameters, body } of document.operations) {
    if (others.test(template)) continue
    const wanted = emailRoutes.test(template) ? /^[a-z][a-zA-Z0-9]*$/ : /^[a-z][a-z0-9_]*$/
    const queries = parameters.filter((parameter) => parameter.in === 'query')
    const fields = [...queries.map((query) => query.name), ...namesIn(document, body ?? {})]
    for (const field of fields) {
      count += 1
      if (!wanted.test(field)) wrong.push(`${name}: ${field}`)
    }
  }
  await app.close()
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(200)
})

function namesIn(document: ApiDocument, schema: JsonSchema): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = document.resolve(schema)
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [name, ...namesIn(document, inner)]),
    ...(items === undefined ? [] : namesIn(document, items)),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((inner) => namesIn(document, inner)),
  ]
}
