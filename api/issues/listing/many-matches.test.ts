/** Searches that match a thousand issues or more: first pages follow the order of the list. */
import { expect, test } from 'vitest'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import { apiOfThisFile, at, hex, type Tenant } from '../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
/** More than the issues that are looked at first. */
const issueCount = 1_700
const newest = 600

/** Issues from the most recently seen; their only event was received three days ago. */
async function fill(tenant: Tenant): Promise<void> {
  await api().pool.query(
    `with made as (
       insert into issues (id, project_id, short_no, title, culprit, level, platform, status, count,
         first_seen, last_seen)
       select gen_random_uuid(), $1, n, 'issue ' || n, 'main', 'error', 'node', 'unresolved', 1,
         $3::timestamptz - interval '9 days', $3::timestamptz - n * interval '1 second'
       from generate_series(1, $2) as n returning id, short_no
     )
     insert into issue_hashes (project_id, hash, issue_id, explanation, created_at)
     select $1, lpad(short_no::text, 32, '0')::uuid, id, '{}', $3 from made`,
    [tenant.project.dsnId, issueCount, at(-1)],
  )
  await api().clickhouse.command({
    query: `insert into events (project_id, event_id, fingerprint, received_at, retention_days,
        environment, component, payload)
      select {project:UInt64}, generateUUIDv4(), toUUID(leftPad(toString(number + 1), 32, '0')),
        parseDateTimeBestEffort({receivedAt:String}), 90, if(number % 2 = 0, 'even', 'odd'),
        if(number < {newest:UInt32}, 'newest', 'older'), '{}'
      from numbers({count:UInt32})`,
    query_params: {
      ...{ project: tenant.project.dsnId, count: issueCount, newest },
      receivedAt: at(-3 * 24 * 60),
    },
  })
}

test('pages are the same as of a list that looks every issue up', async () => {
  const tenant = await api().tenant('Many matches')
  await fill(tenant)
  const numbers = Array.from({ length: issueCount }, (_, index) => index + 1)
  const since = `&since=${encodeURIComponent(at(-14 * 24 * 60))}`
  // biome-ignore format: the columns are the point
  const cases = [
    ['environment:[even, odd]', (_: number) => true],
    ['!environment:absent',     (_: number) => true],
    // More than a thousand match, and none of them is among the first.
    ['component:older',         (n: number) => n > newest],
    // Fewer match than are looked at that way.
    ['environment:odd',         (n: number) => n % 2 === 0],
  ] as const
  for (const [query, isMatch] of cases) {
    const wanted = numbers.filter(isMatch).map((n) => `issue ${n}`)
    let cursor = ''
    for (const page of [0, 1]) {
      const path = `/issues?limit=40${since}&query=${encodeURIComponent(query)}${cursor}`
      const { status, body } = await api().of(tenant, path)
      expect([query, status]).toEqual([query, 200])
      const titles = body.items.map(({ title }: { title: string }) => title)
      expect([query, titles]).toEqual([query, wanted.slice(page * 40, page * 40 + 40)])
      cursor = `&cursor=${body.next_cursor}`
    }
  }
})

test.each([0, issueCount])(
  'an issue with more hashes than are listed, and %d others, is found by any of them',
  async (others) => {
    const tenant = await api().tenant('Many hashes')
    if (others > 0) await fill(tenant)
    const hashes = Array.from({ length: hashesPerIssueMax + 20 }, (_, index) => `hash ${index}`)
    const id = await api().addIssue(tenant, {
      title: 'large',
      hashes,
      lastSeen: at(0),
      shortNo: 9_999,
    })
    // Of hashes without a count, those that come first are listed.
    const [last] = hashes.slice(1).sort((a, b) => (hex(a) < hex(b) ? 1 : -1))
    await api().addEvents(tenant, [{ id: 'last', hash: last!, environment: 'even' }])
    const since = encodeURIComponent(at(-14 * 24 * 60))
    const { body } = await api().of(
      tenant,
      `/issues?limit=1&since=${since}&query=environment%3A[even,odd]`,
    )
    expect(body.items.map((item: { id: string }) => item.id)).toEqual([id])
  },
)
