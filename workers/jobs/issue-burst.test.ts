import { expect, test } from 'vitest'
import { warnOfBurst } from './issue-burst.ts'
import type { OwnerEmail, WarnedProject } from './quota-warning.ts'

const project: WarnedProject = {
  name: 'Shop',
  organizationId: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
  organizationName: 'Acme',
  monthlyEvents: null,
  ownerAddresses: ['ada@acme.test', 'bob@acme.test'],
}
const payload = { project_id: 7, hour: 490_000, kind: 'type TypeError', limit: 200 }

async function emailsOf(found: WarnedProject | undefined): Promise<OwnerEmail[]> {
  const sent: OwnerEmail[] = []
  await warnOfBurst(payload, {
    findProject: async () => found,
    send: async (email) => void sent.push(email),
  })
  return sent
}

test('each owner gets an email with project, kind and hour, whose key is the same on a retry', async () => {
  const emails = await emailsOf(project)
  expect(emails.map(({ to }) => to)).toEqual(project.ownerAddresses)
  expect(emails[0]!.text).toContain('type TypeError')
  expect(emails[0]!.text).toContain('2025-11-24T16:00')
  expect(await emailsOf(project)).toEqual(emails)
  expect(new Set(emails.map(({ key }) => key)).size).toBe(2)
})

test('a deleted project sends no email', async () => {
  expect(await emailsOf(undefined)).toEqual([])
})
