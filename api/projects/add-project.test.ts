import { expect, test } from 'vitest'
import { inTransaction } from '#platform/postgres.ts'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { addOrganization } from '../organization/organization-store.ts'
import { addProject } from './project-store.ts'

const api = apiOfThisFile()

test('concurrently created projects of the same name get different short names', async () => {
  const { id: organizationId } = await addOrganization(api().pool, { name: 'At once' })
  const made = await Promise.all(
    [1, 2, 3, 4].map(() =>
      // Each in its own transaction, as the action does.
      inTransaction(api().pool, (client) => addProject(client, { organizationId, name: 'Shop' })),
    ),
  )
  const shortNames = made.map(({ shortName }) => shortName).sort()
  expect(shortNames).toEqual(['SHOP', 'SHOP2', 'SHOP3', 'SHOP4'])
})
