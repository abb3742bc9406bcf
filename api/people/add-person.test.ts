import { verify } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { addOrganization } from '../organization/organization-store.ts'
import { addPerson } from './person-store.ts'

const api = apiOfThisFile()

test('the password of a person is stored as Argon2id, and an address belongs to one person', async () => {
  const { id: organizationId } = await addOrganization(api().pool, { name: 'People' })
  const person = { organizationId, name: 'Ann', password: 'correct horse', role: 'owner' as const }
  const { id } = await addPerson(api().pool, { ...person, email: ' Ann@People.test ' })
  const { rows } = await api().pool.query(
    `select email, password_hash, role from people join memberships on person_id = people.id
     where people.id = $1 and organization_id = $2`,
    [id, organizationId],
  )
  expect(rows[0]).toMatchObject({ email: 'ann@people.test', role: 'owner' })
  expect(rows[0].password_hash).toMatch(/^\$argon2id\$/)
  expect(await verify(rows[0].password_hash, 'correct horse')).toBe(true)
  const again = addPerson(api().pool, { ...person, email: 'ANN@people.test' })
  await expect(again).rejects.toMatchObject({ code: 'conflict' })
})
