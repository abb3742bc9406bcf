import { expect, test } from 'vitest'
import { checkInSnippets, checkInUrl } from './check-in-snippets.ts'

test.each([
  ['http://abc@127.0.0.1:8030/1', 'http://127.0.0.1:8030/api/1/cron/backup/abc/'],
  ['https://abc@errors.test/prefix/12', 'https://errors.test/prefix/api/12/cron/backup/abc/'],
  [undefined, 'https://<host>/api/<project>/cron/backup/<public key>/'],
  ['no address', 'https://<host>/api/<project>/cron/backup/<public key>/'],
])('with the DSN %s check-ins go to %s', (dsn, url) => {
  expect(checkInUrl({ dsn, slug: 'backup' })).toBe(url)
})

test('every snippet names the slug', () => {
  const snippets = checkInSnippets({ dsn: 'https://abc@errors.test/1', slug: 'nightly-backup' })
  expect(snippets.map(({ label }) => label)).toContain('cron with curl')
  expect(snippets.filter(({ code }) => !code.includes('nightly-backup'))).toEqual([])
})
