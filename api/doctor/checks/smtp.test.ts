import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { doctorContext } from '../../../test/fixtures/doctor/doctor-context.ts'
import { smtpCheck } from './smtp.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function check(SMTP_URL: string | undefined) {
  const findings = await smtpCheck.run(await doctorContext({ SMTP_URL }))
  return findings.map(({ status, found, advice }) => [status, found, advice])
}

async function mailServer(
  login: 'accepts' | 'refuses',
): Promise<{ port: number; emails: string[] }> {
  const emails: string[] = []
  const server = new SMTPServer({
    onAuth: (_auth, _session, done) =>
      login === 'accepts' ? done(null, { user: 'us' }) : done(new Error('535 wrong password')),
    onMailFrom: ({ address }, _session, done) => {
      emails.push(address)
      done()
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise<void>((resolve) => server.close(resolve)))
  return { port: (server.server.address() as AddressInfo).port, emails }
}

/** A server that says one thing to everything. */
async function stubServer(greeting: string, reply: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(greeting)
    socket.on('data', () => socket.write(reply))
    ends.push(async () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.unshift(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

test('a server that accepts the login is fine, and gets no email', async () => {
  const { port, emails } = await mailServer('accepts')
  const url = `smtp://us:pass@127.0.0.1:${port}?rejectUnauthorized=false`
  expect(await check(url)).toEqual([
    ['ok', `127.0.0.1:${port} accepts a session with the login.`, undefined],
  ])
  expect(emails).toEqual([])
})

test('a server that refuses the login', async () => {
  const { port } = await mailServer('refuses')
  const url = `smtp://us:hunter2@127.0.0.1:${port}?rejectUnauthorized=false`
  const findings = await check(url)
  expect(findings).toMatchObject([
    ['problem', expect.stringMatching(/login/), expect.stringMatching(/user and password/)],
  ])
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('a certificate that nobody signed', async () => {
  const { port } = await mailServer('accepts')
  const findings = await check(`smtp://127.0.0.1:${port}?requireTLS=true`)
  expect(findings).toMatchObject([
    ['problem', expect.stringMatching(/certificate/), expect.stringMatching(/certificate/)],
  ])
})

// biome-ignore format: the columns are the point
test.each([
  ['refuses everybody',   '554 no\r\n',            '250 ok\r\n', /cannot be used/],
  ['is no SMTP server',   'HTTP/1.1 400 Bad\r\n',  '250 ok\r\n', /no SMTP reply/],
  ['hangs',               '220 hello\r\n',         '',           /cannot be used/],
] as const)('a server that %s', async (_what, greeting, reply, found) => {
  const port = await stubServer(greeting, reply)
  expect(await check(`smtp://127.0.0.1:${port}`)).toMatchObject([['problem', expect.stringMatching(found), expect.any(String)]])
})

test('a server without TLS that must have it', async () => {
  const port = await stubServer('220 hello\r\n', '250 ok\r\n')
  const findings = await check(`smtp://127.0.0.1:${port}?requireTLS=true`)
  expect(findings).toMatchObject([
    ['problem', expect.stringMatching(/offers no TLS/), expect.stringMatching(/587/)],
  ])
})

test('no URL, and an invalid one', async () => {
  expect(await check(undefined)).toMatchObject([
    ['problem', 'SMTP_URL is not set.', expect.stringMatching(/mailer/)],
  ])
  expect(await check('mail.test')).toMatchObject([['skipped', 'SMTP_URL is not valid.', undefined]])
})
