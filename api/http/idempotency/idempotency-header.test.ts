/**
 * `Idempotency-Key` on all routes: those whose documentation names it check it, and the others
 * ignore it.
 */
import { beforeAll, expect, test } from 'vitest'
import { ApiDocument, type Operation } from '../../../test/fixtures/api-document.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { credentialsOf, makeSide, type Side } from '../../../test/fixtures/filled-tenant.ts'

const api = apiOfThisFile()
let side: Side
let document: ApiDocument

beforeAll(async () => {
  document = new ApiDocument(api().app)
  side = await makeSide(api(), 'Idempotency')
})

const takesKey = ({ parameters }: Operation) =>
  parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'idempotency-key')

async function callWith(operation: Operation, key: string) {
  api().time.nowMs += 61_000
  const credentials = credentialsOf(side, operation.security)
  return api().call(operation.template.replace(/\{.+?\}/g, 'x'), {
    method: operation.method,
    ...credentials,
    headers: { ...('headers' in credentials ? credentials.headers : {}), 'idempotency-key': key },
    body: operation.example as object,
  })
}

const refusedKeys = ['', 'x'.repeat(256), 'x'.repeat(5_000), 'tab\there', 'café', '\u007f']

test('the routes that accept it are those whose repetition would create something twice', () => {
  expect(
    document.operations
      .filter(takesKey)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['POST /api/v1/bounces', 'POST /api/v1/campaigns', 'POST /api/v1/send'])
})

test.each(refusedKeys)(
  '%j is refused by name and rule, before anything else is done',
  async (key) => {
    for (const operation of document.operations.filter(takesKey)) {
      const { status, body } = await callWith(operation, key)
      expect([operation.name, status, body]).toEqual([
        operation.name,
        400,
        expect.objectContaining({
          details: [
            { field: 'Idempotency-Key', rule: 'must be 1 to 255 printable ASCII characters' },
          ],
        }),
      ])
    }
  },
)

test('every other route that writes ignores it', async () => {
  const others = document.operations.filter(
    (operation) =>
      operation.method !== 'GET' &&
      !takesKey(operation) &&
      !/\/(?:logout|imports?)$/.test(operation.template),
  )
  expect(others.length).toBeGreaterThan(50)
  for (const operation of others) {
    const { status, body } = await callWith(operation, 'x'.repeat(5_000))
    expect(status, operation.name).toBeLessThan(500)
    expect(JSON.stringify(body), operation.name).not.toMatch(/idempotency-key/i)
  }
})
