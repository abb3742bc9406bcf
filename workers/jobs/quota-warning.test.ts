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
  test('is sent to each owner separately and names project, share and month', () => {
    const emails = quotaEmails(warning, project)
    expect(emails.map(({ to }) => to)).toEqual(project.ownerAddresses)
    expect(emails[0]!.subject).toBe('Shop has used 80 % of its events of 2026-11')
    expect(emails[0]!.text).toContain('may send 100,000 events a month')
    expect(emails[0]!.text).not.toContain('bob@acme.test')
  })

  test('at the limit states that events are refused', () => {
    const [email] = quotaEmails({ ...warning, percent: 100 }, project)
    expect(email!.subject).toBe('Shop has used up its events of 2026-11')
    expect(email!.text).toContain('Further events are refused')
  })

  test('keeps its unique key when the job runs again', () => {
    const again = quotaEmails(warning, project).map(({ key }) => key)
    expect(quotaEmails(warning, project).map(({ key }) => key)).toEqual(again)
    const later = quotaEmails({ ...warning, percent: 100 }, project)
    expect(new Set([...again, ...later.map(({ key }) => key)]).size).toBe(4)
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['a deleted project',                  undefined,                              []],
  ['a limit that was removed',           { ...project, monthlyEvents: null },    []],
  ['an organization without an owner',   { ...project, ownerAddresses: [] },     []],
  ['two owners',                         project,                                project.ownerAddresses],
] as const)('%s: emails are sent to the expected owners', async (_name, found, wanted) => {
  const sent: OwnerEmail[] = []
  await warnOfQuota(warning, {
    findProject: async () => found,
    send: async (email) => {
      sent.push(email)
    },
  })
  expect(sent.map(({ to }) => to)).toEqual(wanted)
})

test('an invalid payload is an error that names the field', async () => {
  const nothing = { findProject: async () => project, send: async () => undefined }
  await expect(warnOfQuota({ project_id: 'seven' }, nothing)).rejects.toThrow(/project_id/)
})
