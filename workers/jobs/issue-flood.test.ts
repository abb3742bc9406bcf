import { expect, test } from 'vitest'
import { tellOfFlood } from './issue-flood.ts'
import type { OwnerEmail, WarnedProject } from './quota-warning.ts'

const project: WarnedProject = {
  name: 'Shop',
  organizationId: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
  organizationName: 'Acme',
  monthlyEvents: null,
  ownerAddresses: ['ada@acme.test', 'bob@acme.test'],
}
const payload = { project_id: 7, hour: 490_000, kind: 'type TypeError', limit: 200 }

async function lettersOf(found: WarnedProject | undefined): Promise<OwnerEmail[]> {
  const sent: OwnerEmail[] = []
  await tellOfFlood(payload, {
    findProject: async () => found,
    send: async (letter) => void sent.push(letter),
  })
  return sent
}

test('each owner is told of project, kind and hour, under an id that a repeat has too', async () => {
  const letters = await lettersOf(project)
  expect(letters.map(({ to }) => to)).toEqual(project.ownerAddresses)
  expect(letters[0]!.text).toContain('type TypeError')
  expect(letters[0]!.text).toContain('2025-11-24T16:00')
  expect(await lettersOf(project)).toEqual(letters)
  expect(new Set(letters.map(({ key }) => key)).size).toBe(2)
})

test('nobody is told of a project that is gone', async () => {
  expect(await lettersOf(undefined)).toEqual([])
})
