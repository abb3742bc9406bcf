/**
 * Every route of a portal, by its documentation, with every refusal: a page that may not call
 * learns nothing of it.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, apiOfThisFile, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { addIdea } from '../../../test/fixtures/portal-fixture.ts'

const api = apiOfThisFile()
const allowed = 'https://app.example.com'
const refused = 'https://evil.example'
const nobody = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
let tenant: Tenant
let ideaId: string
let addresses = 0

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

const routes: Route[] = []

beforeAll(async () => {
  tenant = await api().tenant('Origins')
  ideaId = await addIdea(api().pool, tenant)
  await api().pool.query(
    'insert into portal_settings (project_id, allowed_origins) values ($1, $2)',
    [tenant.project.id, [allowed]],
  )
  const { paths = {} } = api().app.swagger() as { paths?: Record<string, object> }
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.startsWith('/api/v1/p/{project_key}')) continue
    for (const method of Object.keys(operations)) {
      routes.push({ method: method.toUpperCase() as Route['method'], path })
    }
  }
})

interface Ask {
  readonly origin: string
  readonly key?: string
  readonly idea?: string
  readonly address?: string
  readonly query?: string
}

function ask({ method, path }: Route, { origin, key, idea, address, query = '' }: Ask) {
  const url = path
    .replace('{project_key}', key ?? tenant.project.projectKey)
    .replace('{idea_id}', idea ?? ideaId)
  addresses += 1
  return api().call(`${url}${query}`, {
    ...{ method, headers: { origin } },
    address: address ?? `198.18.${addresses >> 8}.${addresses & 255}`,
    ...(method === 'POST'
      ? { body: { title: 'x', description: 'x', body: 'x', message: 'x', enduser_id: 'u' } }
      : {}),
  })
}

const corsOf = ({ headers }: Answer) => [
  headers['access-control-allow-origin'],
  headers['access-control-expose-headers'],
]

/** Requests of one address until it is refused. */
async function until429(route: Route, origin: string): Promise<Answer> {
  addresses += 1
  const address = `203.0.113.${addresses & 255}`
  for (let number = 0; number <= 130; number += 1) {
    const answer = await ask(route, { origin, address, idea: nobody })
    if (answer.status === 429) return answer
  }
  throw new Error(`${route.method} ${route.path} is not limited`)
}

describe('a page whose origin is refused', () => {
  test('the table contains all routes of a portal', () => {
    expect(routes.length).toBeGreaterThanOrEqual(11)
  })

  test('gets no CORS header with 403, 404, 429 and 400; an allowed one gets them with each', async () => {
    for (const route of routes) {
      const name = `${route.method} ${route.path}`
      const wrong = `?limit=0&offset=-1&enduser_id=${'x'.repeat(2_000)}`
      const cases = {
        403: await ask(route, { origin: refused }),
        'of no idea': await ask(route, { origin: refused, idea: nobody }),
        'of an odd request': await ask(route, { origin: refused, query: wrong }),
        429: await until429(route, refused),
      }
      expect([name, cases[403].status, cases['of no idea'].status]).toEqual([name, 403, 403])
      expect([name, cases['of an odd request'].status]).toEqual([name, 403])
      for (const answer of Object.values(cases)) {
        expect([name, answer.status, ...corsOf(answer)]).toEqual([
          ...[name, answer.status, undefined, undefined],
        ])
        expect(answer.headers['vary']).toContain('Origin')
      }
      expect(Number(cases[429].headers['retry-after'])).toBeGreaterThan(0)

      api().time.nowMs += 61_000
      await ask(route, { origin: allowed })
      for (const answer of [
        await ask(route, { origin: allowed, idea: nobody }),
        await ask(route, { origin: allowed, query: wrong }),
        await until429(route, allowed),
      ]) {
        expect([name, answer.status, corsOf(answer)[0]]).toEqual([name, answer.status, allowed])
      }
      api().time.nowMs += 61_000
    }
  })

  test('without a portal, no origin is refused', async () => {
    for (const key of [nobody, 'no-uuid']) {
      const answer = await ask(
        { method: 'GET', path: '/api/v1/p/{project_key}/ideas' },
        { origin: refused, key },
      )
      expect([answer.status, corsOf(answer)[0]]).toEqual([404, refused])
    }
  })

  test('a portal that is not cached sends no CORS headers with refusals by rate', async () => {
    const other = await api().tenant('Unread')
    await api().pool.query(
      'insert into portal_settings (project_id, allowed_origins) values ($1, $2)',
      [other.project.id, [allowed]],
    )
    const route = { method: 'GET', path: '/api/v1/p/{project_key}/ideas' } as const
    const address = '203.0.113.250'
    for (let number = 0; number < 120; number += 1) await ask(route, { origin: allowed, address })
    const answer = await ask(route, { origin: refused, address, key: other.project.projectKey })
    expect([answer.status, ...corsOf(answer)]).toEqual([429, undefined, undefined])
  })
})
