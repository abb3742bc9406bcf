import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inheritedEnv } from '#platform/env.ts'
import { freePort } from '../processes/free-port.ts'
import { ManagedProcess } from '../processes/managed-process.ts'
import { embeddedSmtp } from './smtp.ts'

let folder: string
let port: number
let server: ManagedProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-smtp-'))
  port = await freePort()
  const engine = embeddedSmtp({ mailboxDir: folder, port, env: inheritedEnv() })
  server = new ManagedProcess(engine.plan, {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  })
  await server.start()
})

afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test('an email is stored unchanged, with a summary for lists', async () => {
  await send({ subject: 'Zażółć — 🦆', text: 'Hello', to: ['a@example.test', 'b@example.test'] })
  const [card] = await cards()
  expect(card).toMatchObject({
    from: 'news@example.test',
    to: ['a@example.test', 'b@example.test'],
    subject: 'Zażółć — 🦆',
    received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  const raw = await readFile(join(folder, `${card?.['id']}.eml`), 'utf8')
  expect(raw).toContain('Hello')
})

test('ids sort by time of arrival', async () => {
  for (const subject of ['one', 'two', 'three']) await send({ subject, text: '', to: ['a@b.test'] })
  expect((await cards()).map((card) => card['subject'])).toEqual(['one', 'two', 'three'])
})

test('any login is accepted', async () => {
  const transport = createTransport({ host: '127.0.0.1', port, auth: { user: 'x', pass: 'y' } })
  await expect(transport.verify()).resolves.toBe(true)
  transport.close()
})

test('an email above the maximum size is rejected and not stored', async () => {
  const text = `${'x'.repeat(76)}\n`.repeat(Math.ceil((25 * 1024 * 1024) / 77) + 1)
  await expect(send({ subject: 'large', text, to: ['a@b.test'] })).rejects.toThrow(/552/)
  expect(await readdir(folder)).toEqual([])
})

async function send(email: { subject: string; text: string; to: string[] }): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port })
  try {
    await transport.sendMail({ from: 'news@example.test', ...email })
  } finally {
    transport.close()
  }
}

async function cards(): Promise<Record<string, unknown>[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  )
}
