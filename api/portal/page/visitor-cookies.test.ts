import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiOfThisFile, type Tenant } from '../../../test/fixtures/api-fixture.ts'
import { addIdea } from '../../../test/fixtures/portal-fixture.ts'
import { buildApp } from '../../app.ts'
import type { ApiInstance } from '../../http/route.ts'

const api = apiOfThisFile()
const origin = 'https://sluice.example.com'
let app: ApiInstance
let tenant: Tenant
let ideaId: string

beforeAll(async () => {
  // TLS ends at a proxy: requests reach this process over http.
  app = await buildApp({ ...api().ctx, apiUrl: origin })
  tenant = await api().tenant('Behind TLS')
  ideaId = await addIdea(api().pool, tenant)
})
afterAll(() => app.close())

test.each([
  ['the id of a visitor who votes', 'POST', (): string => `/ideas/${ideaId}/vote`],
  ['a token in the URL', 'GET', (): string => `?token=a.b.c`],
] as const)(
  'behind an https API_URL, the cookie with %s is Secure',
  async (_name, method, path) => {
    const reply = await app.inject({
      method,
      url: `/portal/${tenant.project.projectKey}${path()}`,
      ...(method === 'POST' ? { payload: {} } : {}),
    })
    expect(reply.statusCode).toBe(303)
    const attributes = String(reply.headers['set-cookie']).split('; ')
    expect(attributes).toContain('Secure')
    expect(attributes).toContain(`Path=/portal/${tenant.project.projectKey}`)
    expect(attributes).not.toContain('HttpOnly')
  },
)
