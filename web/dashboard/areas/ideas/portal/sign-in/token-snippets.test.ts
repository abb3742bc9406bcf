import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { checkEndUserToken } from '../../../../../../api/portal/gate/enduser-token.ts'
import { tokenSnippets } from './token-snippets.ts'

const secret = 'portal-secret_ö-0123456789abcdef'
const projectKey = '0198c19f-0a4b-7c22-8d66-1f0b5e2e3d21'

test('the program for Node signs a token that the portal accepts', async () => {
  const code = tokenSnippets.find(({ name }) => name === 'Node')!.code
  const call = `process.stdout.write(portalToken({ id: 42, email: 'ada@example.com', name: 'Ada' }))`
  const token = execFileSync(process.execPath, ['--input-type=module', '-e', `${code}\n${call}`], {
    encoding: 'utf8',
    env: { PORTAL_SECRET: secret },
  })
  const keys = [Buffer.from(secret, 'utf8')]
  expect(await checkEndUserToken(token, { keys, projectKey, nowMs: Date.now() })).toEqual({
    kind: 'user',
    user: { enduserId: '42', email: 'ada@example.com', name: 'Ada' },
  })
})

test.each(tokenSnippets)('$name reads the secret from the environment', ({ code }) => {
  expect(code).toContain('PORTAL_SECRET')
})
