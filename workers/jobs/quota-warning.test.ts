import { describe, expect, test } from 'vitest'
import { type OwnerEmail, quotaEmails, type WarnedProject, warnOfQuota } from './quota-warning.ts'

const project: WarnedProject = {
  name: 'Shop',
  organizationId: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
  organizationName: 'Acme',
  monthlyEvents: 100_000,
  ownerAddresses: ['ada@acme.test', 'bob@acme.test'],
}
const warning = { project_id: 7, period: '2026-11-01', percent: 80 }

describe('a warning', () => {
  test('goes to each owner in a letter of its own, and says project, share and month', () => {
    const emails = quotaEmails(warning, project)
    expect(emails.map(({ to }) => to)).toEqual(project.ownerAddresses)
    expect(emails[0]!.subject).toBe('Shop has used 80 % of its events of 2026-11')
    expect(emails[0]!.text).toContain('may send 100,000 events a month')
    expect(emails[0]!.text).not.toContain('bob@acme.test')
  })

  test('at the limit says that events are refused now', () => {
    const [email] = quotaEmails({ ...warning, percent: 100 }, project)
    expect(email!.subject).toBe('Shop has used up its events of 2026-11')
    expect(email!.text).toContain('Further events are refused')
  })

  test('keeps its key when the job runs again, and shares it with no other', () => {
    const again = quotaEmails(warning, project).map(({ key }) => key)
    expect(quotaEmails(warning, project).map(({ key }) => key)).toEqual(again)
    const later = quotaEmails({ ...warning, percent: 100 }, project)
    expect(new Set([...again, ...later.map(({ key }) => key)]).size).toBe(4)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['a project that is gone',             undefined,                              []],
  ['a limit that was taken away',        { ...project, monthlyEvents: null },    []],
  ['an organization without an owner',   { ...project, ownerAddresses: [] },     []],
  ['two owners',                         project,                                project.ownerAddresses],
] as const)('%s: letters go to whom they should', async (_name, found, wanted) => {
  const sent: OwnerEmail[] = []
  await warnOfQuota(warning, {
    findProject: async () => found,
    send: async (email) => {
      sent.push(email)
    },
  })
  expect(sent.map(({ to }) => to)).toEqual(wanted)
})

test('a payload that is none is an error, so that the job shows it', async () => {
  const nothing = { findProject: async () => project, send: async () => undefined }
  await expect(warnOfQuota({ project_id: 'seven' }, nothing)).rejects.toThrow(/project_id/)
})
