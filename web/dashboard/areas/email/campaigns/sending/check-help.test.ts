import { expect, test } from 'vitest'
import { checkHelp, sortChecks } from './check-help.ts'

const place = { campaignId: 'c1', newsletter: 'a b' }

test.each([
  ['audience', '/email/contacts?newsletter=a%20b'],
  ['postal', '/email/newsletters/a%20b'],
  ['domain', '/email/domains'],
  ['links', '/email/campaigns/c1'],
  ['a check of a later version', undefined],
])('%s', (name, href) => {
  expect(checkHelp(name, place)?.href).toBe(href)
})

test('errors come first, and the order of equals stays', () => {
  const checks = [
    { name: 'a', level: 'ok' },
    { name: 'b', level: 'error' },
    { name: 'c', level: 'warning' },
    { name: 'd', level: 'error' },
  ] as const
  expect(sortChecks(checks).map(({ name }) => name)).toEqual(['b', 'd', 'c', 'a'])
})
