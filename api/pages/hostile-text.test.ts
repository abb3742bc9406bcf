/** Text of events, and of people, never becomes markup, a link or a script of a page. */
import { beforeAll, expect, test } from 'vitest'
import { issuePath } from '#schemas/page-path.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { hostileEvent } from '../../test/fixtures/pages/issue-event.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  login = await api().login(tenant, 'member')
})

const texts = [
  '<script>alert(1)</script>',
  '</title></style></textarea></pre><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></dd><form action=https://evil.test><button>Resolve</button></form>',
  '<!--',
  '<![CDATA[<b>',
  '&lt;script&gt;&#x3c;script&#62;',
  '[link](javascript:alert(1)) https://evil.test/?a=1&b=2 <https://evil.test>',
  '<svg/onload=alert(1)><math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '\u202egnp.exe\u2066\u200b\u{e0041}<b>',
  '\u2028<b>\u0085\u001b[2J<b>',
  '{{7*7}}<%= 7 %>#{7*7}',
  '<b>'.repeat(20_000),
] as const

const allowedTags = new Set(
  'html head meta title style body header span form input bdi button main div p h1 h2 h3 section dl dt dd time svg rect ul li ol details summary pre i label textarea strong a'.split(
    ' ',
  ),
)
const hidden = /[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029\u{e0000}-\u{e0fff}]/u
/** Far above an ordinary page, and little enough for a phone. */
const pageBytesMax = 400_000

test.each(texts)('%# is shown as text in every place', async (text) => {
  const hash = `hash of ${texts.indexOf(text)}`
  // Columns of Postgres hold no NUL, and no lone surrogates.
  const short = text.slice(0, 200)
  const names = { title: text.slice(0, 1_000), culprit: short, release: short }
  const id = await api().addIssue(tenant, { hashes: [hash], ...names })
  await api().addEvents(tenant, [
    {
      id: hash,
      hash,
      title: short,
      release: short,
      environment: short,
      component: short,
      tags: Object.fromEntries(Array.from({ length: 80 }, (_, no) => [`${no}${short}`, text])),
      payload: JSON.stringify(hostileEvent(text)),
    },
  ])
  const comment = { method: 'POST', body: { text: text.slice(0, 10_000) } } as const
  await api().of(tenant, `/issues/${id}/comments`, comment)
  await api().pool.query(
    `insert into issue_activity (issue_id, kind, actor, data, at)
     select $1, kind, $2, $3, now() from unnest($4::text[]) kind`,
    [
      id,
      { type: short, label: short },
      {
        ...{ to: { name: short }, reason: short, release: short, resolved_in: 'release' },
        ...{ until: { [short]: short }, which: short, count: short, expected: {} },
      },
      ['status', 'assigned', 'priority', 'snoozed', 'regressed', 'escalating', 'returned', short],
    ],
  )
  const { status, body } = await api().call(issuePath(tenant.project.id, id), { login })
  expect(status).toBe(200)
  const page = String(body)
  expect(page.length).toBeLessThan(pageBytesMax)
  const tags = [...page.matchAll(/<([a-zA-Z!?][^\s/>]*)([^>]*)>/g)]
  const unknown = tags.map(([, name = '']) => name).filter((name) => !allowedTags.has(name))
  expect(unknown).toEqual(['!doctype'])
  const attributes = tags.map(([, , rest = '']) => rest).join(' ')
  expect(attributes).not.toMatch(/\son\w+\s*=|style=|src=|action=|evil|javascript/i)
  const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url)
  expect(links.filter((url) => !/^\.\/[0-9a-f-]{36}$/.test(url))).toEqual([])
  expect(page.match(/<form/g)).toHaveLength(3)
  expect(hidden.test(page)).toBe(false)
})
