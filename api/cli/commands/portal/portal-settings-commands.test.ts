import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { apiOfThisFile, fixtureSecret } from '../../../../test/fixtures/api-fixture.ts'
import { runAdmin } from '../../run-admin.ts'

const api = apiOfThisFile()

async function admin(...args: string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runAdmin(['portal', ...args, '--json'], {
    env: { POSTGRES_URL: api().stores.postgresUrl, SLUICE_SECRET: fixtureSecret },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stderr, value: code === 0 ? JSON.parse(stdout) : undefined }
}

test('a portal is set up and moderated on the command line', async () => {
  const { project, organizationId } = await api().tenant('shop')
  expect((await admin('set', '--enduser-auth', 'on')).stderr).toContain('Create a secret first')
  const { secret, id } = (await admin('make-secret')).value
  const set = await admin(
    'set',
    '--enduser-auth',
    'on',
    '--origins',
    'https://a.example, https://*.b.example',
    '--moderation',
    'all',
  )
  expect(set.value).toMatchObject({
    enduser_auth: true,
    moderation: 'all',
    allowed_origins: ['https://a.example', 'https://*.b.example'],
  })
  expect((await admin('show')).value).toEqual(set.value)
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('ada')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
  expect((await admin('try-token', token)).value).toMatchObject({ valid: true, enduser_id: 'ada' })
  expect((await admin('try-token', `${token}x`)).value).toMatchObject({
    valid: false,
    code: 'token_invalid',
  })

  await api().pool.query(
    `insert into ideas (id, project_id, title, description, moderation) values (gen_random_uuid(), $1, 'Dark mode', 'Please.', 'pending')`,
    [project.id],
  )
  const [waiting] = (await admin('queue')).value
  const decide = () => admin('decide', waiting.id, '--type', 'idea', '--decision', 'approve')
  expect((await decide()).value).toEqual({ id: waiting.id, moderation: 'published' })
  expect((await decide()).stderr).toContain('already decided on this item')
  expect((await admin('queue')).value).toEqual([])
  expect((await admin('retire-secret', id)).stderr).toContain('the last live secret')
  expect((await admin('set', '--enduser-auth', 'off')).value.enduser_auth).toBe(false)
  expect((await admin('retire-secret', id)).value.retired_at).not.toBeNull()
  const { rows } = await api().pool.query(
    `select action from audit_log where organization_id = $1 and via = 'command_line' order by at, id`,
    [organizationId],
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'enduser_secret.created',
    'portal.changed',
    'idea.approved',
    'portal.changed',
    'enduser_secret.retired',
  ])
})

test.each([
  ['nothing to set', ['set'], 'Name at least one setting'],
  ['an invalid origin', ['set', '--origins', 'b'], '--origins is not valid'],
  ['fewer votes than five', ['set', '--votes-per-minute', '4'], '--votes-per-minute is not valid'],
  ['a word for a number', ['set', '--links-max', 'many'], '--links-max is not valid'],
  ['an invalid decision', ['decide', 'x', '--type', 'idea', '--decision', 'maybe'], 'not valid'],
])('%s is refused with a sentence', async (_name, args, sentence) => {
  const { code, stderr } = await admin(...args)
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
})
