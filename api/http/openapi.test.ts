/**
 * Checks what people and generated clients need of every documented operation: a name, a summary,
 * one tag, and an example of its body.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { ApiDocument, type Operation } from '../../test/fixtures/api-document.ts'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'

/** The allowed tags, one for each resource. */
const resources = [
  'issues',
  'events',
  'releases',
  'monitors',
  'outcomes',
  'quota',
  'project settings',
  'ownership',
  'alerts',
  'webhooks',
  'DSN keys',
  'newsletters',
  'contacts',
  'contact imports',
  'blocked domains',
  'suppressions',
  'bounces',
  'bounce adapters',
  'campaigns',
  'deliveries',
  'transactional email',
  'sending domains',
  'ideas',
  'votes',
  'idea tags',
  'comments',
  'moderation',
  'portal users',
  'portal settings',
  'portal secrets',
  'feedback',
  'organization',
  'projects',
  'people',
  'teams',
  'logins',
  'access tokens',
  'API keys',
  'audit log',
  'deletions',
  'person data',
  'mailbox',
  'operation',
  'views',
]

let operations: readonly Operation[]

beforeAll(async () => {
  const app = await appWithoutStores()
  await app.ready()
  operations = new ApiDocument(app).operations
})

function broken(rule: (operation: Operation) => boolean): string[] {
  return operations.filter((operation) => !rule(operation)).map(({ name }) => name)
}

describe('every operation', () => {
  test('has a unique operationId in camel case', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(
      broken(({ operationId }) => /^[a-z]+(?:[A-Z][A-Za-z]*)?$/.test(operationId ?? '')),
    ).toEqual([])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('has an imperative summary: a verb and its object, without a full stop', () => {
    const imperative = /^[A-Z][a-z]+(?<![^s]s|ed|ing)(?: [^\n]{1,78}[^.\s])?$/
    expect(broken(({ summary }) => imperative.test(summary ?? ''))).toEqual([])
    expect(
      broken(({ summary }) => !/^(?:One|All|What|Who|How|Where|An?|The|Whom) /.test(summary ?? '')),
    ).toEqual([])
  })

  test('has exactly one tag: its resource', () => {
    expect(broken(({ tags }) => tags.length === 1 && resources.includes(tags[0]!))).toEqual([])
  })

  test('that takes a JSON body shows an example of it', () => {
    expect(broken(({ body, example }) => body === undefined || example !== undefined)).toEqual([])
  })
})
