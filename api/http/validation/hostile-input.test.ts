/**
 * Text that no store can hold, in every position of every documented route: 400, and the field is
 * named.
 */
import { beforeAll, expect, test } from 'vitest'
import { ApiDocument, type Operation } from '../../../test/fixtures/api-document.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  credentialsOf,
  fillTenant,
  makeSide,
  type Side,
} from '../../../test/fixtures/filled-tenant.ts'

const api = apiOfThisFile()
let side: Side
let ids: Map<string, string>
let document: ApiDocument
let callCount = 0

beforeAll(async () => {
  document = new ApiDocument(api().app)
  side = await makeSide(api(), 'Hostile')
  ids = await fillTenant(api(), side, 'hostile-input')
})

/** Their bodies are whole files, whose rows are checked one by one. */
const fileRoutes = /\/imports?$|^\/hooks\//

interface Case {
  readonly operation: Operation
  readonly field: string
  readonly path: string
  readonly body?: unknown
}

function casesOf(operation: Operation, text: string): Case[] {
  const { template, parameters, example, body } = operation
  const percent = text === '\0' ? '%00' : '%ff'
  const path = fill(template)
  const ofPath = [...template.matchAll(/\{(.+?)\}/g)].map(([, name]) => ({
    operation,
    field: name!,
    path: fill(template, { [name!]: `a${percent}` }),
  }))
  const ofQuery = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => ({ operation, field: name, path: `${path}?${name}=a${percent}b` }))
  const names = body === undefined ? [] : Object.keys(document.resolve(body).properties ?? {})
  const ofBody = names.map((name) => ({
    operation,
    field: name,
    path,
    body: { ...(example as object), [name]: `a${text}b` },
  }))
  return [...ofPath, ...ofQuery, ...ofBody]
}

function fill(template: string, chosen: Readonly<Record<string, string>> = {}): string {
  const parts = template.split('/')
  return template.replace(/\{(.+?)\}/g, (_all, name: string) => {
    const before = parts[parts.indexOf(`{${name}}`) - 1] ?? ''
    return chosen[name] ?? ids.get(name) ?? ids.get(before) ?? 'x'
  })
}

test.each([
  ['NUL', '\0'],
  ['a lone surrogate, or in an address bytes that are no UTF-8', '\ud800'],
])('%s is 400 everywhere', async (_name, text) => {
  const wrong: unknown[] = []
  let caseCount = 0
  for (const operation of document.operations) {
    if (fileRoutes.test(operation.template) || operation.template.startsWith('/hooks/')) continue
    for (const { field, path, body } of casesOf(operation, text)) {
      caseCount += 1
      callCount += 1
      api().time.nowMs += 7_000
      const answer = await api().call(path, {
        method: operation.method,
        ...credentialsOf(side, operation.security),
        address: `2001:db8:${callCount.toString(16)}::1`,
        ...(body === undefined ? {} : { body }),
      })
      const details = answer.body.details?.[0]?.field
      const isNamed = text === '\0' ? details === field : details === field || body === undefined
      // Paths whose thing is missing, such as `x` for an id, are 404 before a body is read.
      const isGated = answer.status === 404 && body !== undefined
      if (!isGated && (answer.status !== 400 || !isNamed)) {
        wrong.push([operation.name, field, answer.status, answer.body])
      }
    }
  }
  expect(wrong).toEqual([])
  expect(caseCount).toBeGreaterThan(400)
})
