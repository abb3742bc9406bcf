import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { commandLineActor } from '../audit/audit-store.ts'
import { allowDomain } from './allow-domain.ts'
import { disallowDomain } from './disallow-domain.ts'

const api = apiOfThisFile()

const suffixes = [
  ...[
    'co.uk',
    'CO.UK',
    ' co.uk ',
    'co.uk.',
    'com.au',
    'org.nz',
    'k12.ca.us',
    'foo.ck',
    'github.io',
  ],
  ...['公司.cn', 'xn--55qx5d.cn', 'ｃｏ.ｕｋ', 'co。uk', 'blogspot.com', 's3.amazonaws.com'],
]

test.each(suffixes)(
  '%s is refused as the domain of one organization, by route and command',
  async (domain) => {
    const tenant = await api().tenant(`Suffix ${domain}`)
    const login = await api().login(tenant)
    const post = { method: 'POST', login, body: { domain } } as const
    const { status, body } = await api().call('/api/v1/admin/email/domains', post)
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        details: [{ field: 'domain', rule: expect.stringContaining('is a public suffix') }],
      }),
    ])
    const actor = commandLineActor(tenant.organizationId)
    const allowed = allowDomain(api().ctx, actor, { domain, reason: null })
    await expect(allowed).rejects.toMatchObject({ code: 'validation_failed' })
  },
)

test.each(['example.co.uk', 'www.ck', 'mail.github.io', 'corp.internal', 'bücher.example'])(
  '%s is a domain like any other',
  async (domain) => {
    const tenant = await api().tenant(`Domain ${domain}`)
    const actor = commandLineActor(tenant.organizationId)
    await allowDomain(api().ctx, actor, { domain, reason: null })
    await disallowDomain(api().ctx, actor, { domain })
  },
)

test('a public suffix that was allowed before can be disallowed', async () => {
  const { organizationId } = await api().tenant('Earlier')
  await api().pool.query(
    `insert into allowed_from_domains (organization_id, domain, created_by) values ($1, 'co.uk', 'x')`,
    [organizationId],
  )
  const actor = commandLineActor(organizationId)
  expect(await disallowDomain(api().ctx, actor, { domain: 'co.uk' })).toBe('co.uk')
})
