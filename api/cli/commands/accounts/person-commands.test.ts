import { beforeAll, describe, expect, test } from 'vitest'
import { adminOf } from '../../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { admin, json } = adminOf(api)

beforeAll(async () => {
  await admin('organization create --name Acme')
  await admin('organization create --name Other')
})

const acme = (line: string) => json(`${line} --organization Acme`)

describe('people', () => {
  test('are invited by a printed link, change roles and are removed', async () => {
    const invited = await acme('person invite Ada@Example.com --role owner --name Ada+L')
    expect(invited).toMatchObject({ email: 'ada@example.com', role: 'owner', joined: false })
    expect(invited.link).toMatch(/^https:\/\/sluice\.example\.test\/welcome\/[\w-]{43}$/)
    const again = await admin('person invite ada@example.com --organization Acme')
    expect(again.stderr).toBe('This person belongs to the organization already.\n')

    const reset = await acme('person link ada@example.com')
    expect(reset.link).not.toBe(invited.link)
    const page = await api().call(new URL(invited.link).pathname)
    expect(page.status).toBe(404)
    expect((await api().call(new URL(reset.link).pathname)).status).toBe(200)

    const last = await admin('person remove ada@example.com --organization Acme')
    expect(last.stderr).toBe('An organization needs at least one owner.\n')
    await acme('person invite grace@example.com --role owner')
    expect(await acme('person update ada@example.com --role viewer')).toMatchObject({
      role: 'viewer',
    })
    await acme('person remove ada@example.com')
    const people = await acme('person list')
    expect(people.map(({ email }: { email: string }) => email)).toEqual(['grace@example.com'])
    const { rows } = await api().pool.query(
      "select actor, via, action from audit_log where action like 'person.%' order by at, id",
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'person.invited',
      'person.link_sent',
      'person.invited',
      'person.role_changed',
      'person.removed',
    ])
    expect(rows[0]).toMatchObject({ actor: 'admin', via: 'command_line' })
  })

  test('an error names the flag', async () => {
    const role = await admin('person invite a@b.test --role king --organization Acme')
    expect(role).toMatchObject({ code: 1, stdout: '' })
    expect(role.stderr).toContain('--role is not valid')
    const none = await admin('person link nobody@b.test --organization Acme')
    expect(none.stderr).toBe('Nobody is called nobody@b.test: see `person list`.\n')
  })
})
