/**
 * Ids of another organization in bodies and queries (tenancy.test.ts looks at those in paths).
 * Generated from the documentation: in every field that names something, the owner's id must be
 * answered like an unknown id, headers included.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ApiDocument, type JsonSchema, type Operation } from '../test/fixtures/api-document.ts'
import { type Answer, apiOfThisFile } from '../test/fixtures/api-fixture.ts'
import { credentialsOf, fillTenant, makeSide, type Side } from '../test/fixtures/filled-tenant.ts'

const api = apiOfThisFile()
let owner: Side
let stranger: Side
let owners: Map<string, string>
let own: Map<string, string>
let document: ApiDocument

beforeAll(async () => {
  document = new ApiDocument(api().app)
  owner = await makeSide(api(), 'Owner')
  stranger = await makeSide(api(), 'Stranger')
  owners = await fillTenant(api(), owner, 'of-the-owner')
  own = await fillTenant(api(), stranger, 'of-the-stranger')
})

/** The kind of id in a field of this name: a key of the filled tenant's ids. Lists contain one. */
const kindOfField: Readonly<Record<string, string>> = {
  newsletter: 'newsletters',
  contactId: 'contacts',
  contactIds: 'contacts',
  parent_id: 'comments',
  person_id: 'people',
  assignee: 'people',
  subject_id: 'tokens',
}
/** Fields of one name that hold other things on other routes. */
function kindOf({ template }: Operation, field: string): string | undefined {
  if (field === 'into') return template.includes('/issues') ? 'issues' : 'ideas'
  if (field === 'ids') return template.includes('/feedback/') ? 'feedback_id' : 'issues'
  if (field === 'organization_id') return 'organization'
  return kindOfField[field]
}

interface Place {
  readonly operation: Operation
  readonly part: 'body' | 'query'
  readonly field: string
  readonly isList: boolean
}

function places(): Place[] {
  return document.operations.flatMap((operation) => {
    const properties = operation.body ? (document.resolve(operation.body).properties ?? {}) : {}
    const inBody = Object.entries(properties).map(([field, schema]) => ({
      operation,
      part: 'body' as const,
      field,
      isList: isList(schema),
    }))
    const inQuery = operation.parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ operation, part: 'query' as const, field: name, isList: false }))
    return [...inBody, ...inQuery].filter(({ field }) => kindOf(operation, field) !== undefined)
  })
}

function isList(schema: JsonSchema): boolean {
  const { type, anyOf = [] } = document.resolve(schema)
  return type === 'array' || anyOf.some(isList)
}

async function ask({ operation, part, field, isList }: Place, id: string): Promise<Answer> {
  api().time.nowMs += 61_000
  const path = operation.template.replace(/\{(.+?)\}/g, (_all, name: string) => {
    const parts = operation.template.split('/')
    return own.get(name) ?? own.get(parts[parts.indexOf(`{${name}}`) - 1] ?? '') ?? 'x'
  })
  const body = { ...(operation.example as object), [field]: isList ? [id] : id }
  return api().call(part === 'query' ? `${path}?${field}=${id}` : path, {
    method: operation.method,
    ...credentialsOf(stranger, operation.security),
    ...(part === 'body' ? { body } : {}),
  })
}

/** Without what differs between any two answers. */
function comparable({ status, headers, body }: Answer, id: string): unknown {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?:x-request-id|date|ratelimit-|x-ratelimit-|retry-after)/.test(name),
  )
  return JSON.parse(JSON.stringify([status, Object.fromEntries(kept), body]).replaceAll(id, 'id'))
}

test('an id of another organization is answered like an unknown id', async () => {
  const differing: unknown[] = []
  const looked = places()
  for (const place of looked) {
    const kind = kindOf(place.operation, place.field)!
    const known = kind === 'organization' ? owner.tenant.organizationId : owners.get(kind)!
    const unknown = /^[0-9a-f-]{36}$/.test(known) ? randomUUID() : known.replace('owner', 'nobod')
    const answers = [
      comparable(await ask(place, known), known),
      comparable(await ask(place, unknown), unknown),
    ]
    if (JSON.stringify(answers[0]) !== JSON.stringify(answers[1])) {
      differing.push([place.operation.name, place.part, place.field, ...answers])
    }
  }
  expect(differing).toEqual([])
  expect(looked.length).toBeGreaterThan(15)
})
