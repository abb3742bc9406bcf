/** Export files of other services: all statuses are imported, and no email is sent. */
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { emailsTo } from '../../../test/fixtures/email-fixture.ts'
import { importContacts, importDesk, storedStates } from '../../../test/fixtures/import-fixture.ts'

const api = apiOfThisFile()

const cell = (json: object) => `"${JSON.stringify(json).replaceAll('"', '""')}"`
const mailchimpStart =
  '"Email Address","First Name","Last Name","Favourite Colour",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,GMTOFF,DSTOFF,TIMEZONE,CC,REGION'
const mailchimpRow = (name: string, more: string) =>
  `${name}@example.com,${name},M.,green,2,"2021-02-01 09:00:00",192.0.2.1,"2021-02-01 09:05:00",192.0.2.1,1,2,Europe/Rome,it,RM,${more}`
const listmonkDates = '2023-05-01 10:00:00.123456 +0000 UTC,2023-05-02 10:00:00 +0000 UTC'

interface Expected {
  readonly format: string
  readonly ignored: readonly string[]
  /** Status, status before and cause, by the part of the address before the @. */
  readonly states: Readonly<Record<string, readonly [string, string | null, string | null]>>
  readonly attribs: Readonly<Record<string, object>>
  readonly names: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
}

const blocked = ['bounced', 'unsubscribed', 'manual'] as const
const gone = ['bounced', 'subscribed', 'hard'] as const
const left = ['unsubscribed', null, null] as const
const here = ['subscribed', null, null] as const
const waits = ['pending', null, null] as const

const files: Record<
  string,
  { lines: string[]; expected: Expected; query?: Record<string, string> }
> = {
  listmonk: {
    lines: [
      'uuid,email,name,attributes,status,created_at,updated_at',
      `5f0b3b8e-0000-4000-8000-000000000001,on@example.com,On,${cell({ city: 'Bern', tags: ['a', 'b'], age: 31, vip: true, deep: { x: 1 } })},enabled,${listmonkDates}`,
      `5f0b3b8e-0000-4000-8000-000000000002,off@example.com,Off,{},disabled,${listmonkDates}`,
      `5f0b3b8e-0000-4000-8000-000000000003,block@example.com,,null,blocklisted,${listmonkDates}`,
      `5f0b3b8e-0000-4000-8000-000000000004,odd@example.com,,{},paused,${listmonkDates}`,
    ],
    expected: {
      format: 'listmonk',
      ignored: ['uuid', 'updated_at'],
      states: { on: here, off: left, block: blocked },
      names: { on: 'On', off: 'Off' },
      attribs: { on: { city: 'Bern', tags: 'a, b', age: 31, vip: true }, off: {} },
      warnings: ['attribs.deep'],
    },
  },
  'mailchimp subscribed': {
    query: { fileName: 'subscribed_email_audience_export_4af.csv' },
    lines: [
      `${mailchimpStart},LAST_CHANGED,LEID,EUID,NOTES,TAGS`,
      mailchimpRow('here', '"2024-01-01 00:00:00",1,ab,note,"""vip"",""new member"""'),
    ],
    expected: {
      format: 'mailchimp',
      ignored: [
        ...['MEMBER_RATING', 'OPTIN_IP', 'CONFIRM_IP', 'GMTOFF', 'DSTOFF', 'TIMEZONE', 'CC'],
        ...['REGION', 'LAST_CHANGED', 'LEID', 'EUID', 'NOTES'],
      ],
      states: { here },
      names: { here: 'here M.' },
      attribs: { here: { Favourite_Colour: 'green', tags: 'vip, new member' } },
    },
  },
  'mailchimp unsubscribed': {
    lines: [
      `${mailchimpStart},UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,LEID,EUID,NOTES,TAGS`,
      mailchimpRow('went', '"2022-03-04 05:06:07","Spring",77,NORMAL,,1,ab,,'),
      mailchimpRow('angry', '"2022-03-04 05:06:07","Spring",77,"Abuse complaint",,2,ac,,'),
      mailchimpRow('blank', ',,,,,3,ad,,'),
    ],
    expected: {
      format: 'mailchimp',
      ignored: [
        ...['MEMBER_RATING', 'OPTIN_IP', 'CONFIRM_IP', 'GMTOFF', 'DSTOFF', 'TIMEZONE', 'CC'],
        ...['REGION', 'LEID', 'EUID', 'NOTES'],
      ],
      states: { went: left, angry: ['complained', 'unsubscribed', 'complaint'], blank: left },
      names: { went: 'went M.' },
      attribs: { went: { Favourite_Colour: 'green' } },
    },
  },
  'mailchimp cleaned': {
    lines: [
      `${mailchimpStart},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID,EUID,NOTES,TAGS`,
      mailchimpRow('dead', '"2022-03-04 05:06:07","Spring",77,1,ab,,'),
    ],
    expected: {
      format: 'mailchimp',
      ignored: [
        ...['MEMBER_RATING', 'OPTIN_IP', 'CONFIRM_IP', 'GMTOFF', 'DSTOFF', 'TIMEZONE', 'CC'],
        ...['REGION', 'LEID', 'EUID', 'NOTES'],
      ],
      states: { dead: gone },
      names: { dead: 'dead M.' },
      attribs: { dead: { Favourite_Colour: 'green' } },
    },
  },
  resend: {
    lines: [
      'id,created_at,first_name,last_name,email,unsubscribed',
      'fad4dddb-0000-4000-8000-6f8441dff647,2026-05-31 08:19:35.263642+00,Steve,,in@example.com,false',
      'fad4dddb-0000-4000-8000-6f8441dff648,2026-05-31 08:19:35.263642+00,,,out@example.com,true',
      'fad4dddb-0000-4000-8000-6f8441dff649,2026-05-31 08:19:35.263642+00,,,who@example.com,',
    ],
    expected: {
      format: 'resend',
      ignored: ['id'],
      states: { in: here, out: left },
      names: { in: 'Steve' },
      attribs: { in: {} },
    },
  },
  buttondown: {
    lines: [
      'email_address,type,creation_date,metadata,tags,notes,source,unsubscription_date,undeliverability_reason',
      `reg@example.com,regular,2024-01-02T03:04:05Z,${cell({ plan: 'pro' })},"one,two",x,api,,`,
      'prem@example.com,premium,2024-01-02T03:04:05Z,{},,,,,',
      'new@example.com,unactivated,2024-01-02T03:04:05Z,{},,,,,',
      'off@example.com,unsubscribed,2024-01-02T03:04:05Z,{},,,,2025-01-01T00:00:00Z,',
      'back@example.com,regular,2024-01-02T03:04:05Z,{},,,,2025-01-01T00:00:00Z,',
      'dead@example.com,undeliverable,2024-01-02T03:04:05Z,{},,,,,does_not_exist',
      'angry@example.com,complained,2024-01-02T03:04:05Z,{},,,,,',
      'spam@example.com,blocked,2024-01-02T03:04:05Z,{},,,,,',
      'odd@example.com,tomorrow,2024-01-02T03:04:05Z,{},,,,,',
    ],
    expected: {
      format: 'buttondown',
      ignored: ['notes', 'source', 'undeliverability_reason'],
      states: {
        reg: here,
        prem: here,
        new: waits,
        off: left,
        back: left,
        dead: gone,
        angry: ['complained', 'unsubscribed', 'complaint'],
        spam: blocked,
      },
      names: {},
      attribs: { reg: { plan: 'pro', tags: 'one, two' } },
    },
  },
  keila: {
    lines: [
      'Email,First name,Last name,Data,Status,External ID',
      `act@example.com,Joël,Müller,${cell({ list: [1, 2], note: 'x'.repeat(2_001) })},active,42`,
      'unsub@example.com,,,,unsubscribed,',
      'dead@example.com,,,,unreachable,',
      'what@example.com,,,,,',
    ],
    expected: {
      format: 'keila',
      ignored: [],
      states: { act: here, unsub: left, dead: gone },
      names: { act: 'Joël Müller' },
      attribs: { act: { list: '1, 2', External_ID: '42' } },
      warnings: ['attribs.note'],
    },
  },
}

test.each(Object.entries(files))('%s', async (_name, { lines, expected, query }) => {
  const desk = await importDesk(api())
  const file = `${lines.join('\r\n')}\r\n`
  const report = await importContacts(api(), desk, file, query)
  const { states, names, attribs, warnings = [] } = expected
  const rows = lines.length - 1
  const created = Object.keys(states).length
  expect(report).toMatchObject({
    state: 'done',
    format: expected.format,
    encoding: 'utf-8',
    rows,
    created,
    refused: rows - created,
    skipped: 0,
    warned: warnings.length,
    ignoredColumns: expected.ignored,
  })
  expect(report.warnings.map(({ field }) => field)).toEqual(warnings)
  const stored = await storedStates(api(), desk)
  const of = (email: string) => email.replace('@example.com', '')
  expect(
    Object.fromEntries(
      stored.map(({ email, status, before, cause }) => [of(email), [status, before, cause]]),
    ),
  ).toEqual(states)
  const byName = new Map(stored.map((row) => [of(row.email), row]))
  for (const [name, text] of Object.entries(names)) expect(byName.get(name)!.name).toBe(text)
  for (const [name, given] of Object.entries(attribs)) {
    expect(byName.get(name)!.attribs).toEqual(given)
  }
  for (const { email } of stored) expect(await emailsTo(api(), email)).toEqual([])

  const again = await importContacts(api(), desk, file, query)
  expect(again).toMatchObject({ created: 0, updated: 0, suppressed: 0, unchanged: created })
})

test('times of the other service are kept', async () => {
  const desk = await importDesk(api())
  await importContacts(api(), desk, files['mailchimp unsubscribed']!.lines.join('\n'))
  const { rows } = await api().pool.query(
    `select c.signup_at, c.confirmed_at, c.unsubscribed_at from contacts c join addresses a on a.id = c.address_id
     where c.organization_id = $1 and a.email_key = 'went@example.com'`,
    [desk.tenant.organizationId],
  )
  expect(rows).toEqual([
    {
      signup_at: new Date('2021-02-01T09:00:00Z'),
      confirmed_at: new Date('2021-02-01T09:05:00Z'),
      unsubscribed_at: new Date('2022-03-04T05:06:07Z'),
    },
  ])
})
