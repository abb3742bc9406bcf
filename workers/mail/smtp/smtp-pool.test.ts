import { afterEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { readSmtpUrl } from '#platform/smtp/smtp-settings.ts'
import { type SinkFault, type SinkPhase, SmtpSink } from '../../../test/mailkill/smtp-sink.ts'
import { SmtpPool } from './smtp-pool.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function poolOf(url: string): SmtpPool {
  const options = {
    settings: readSmtpUrl(url),
    connectionsMax: 2,
    log: createLogger('test', 'silent'),
    onUnreachable: () => undefined,
  }
  const pool = new SmtpPool(options, { hasWork: () => false, take: () => undefined })
  ends.push(() => pool.drain())
  return pool
}

async function sinkWith(fault: { phase: SinkPhase; fault: SinkFault } | undefined) {
  const state = { fault }
  const sink = await SmtpSink.start({
    fault: (phase) => (phase === state.fault?.phase ? state.fault.fault : undefined),
  })
  ends.push(() => sink.stop())
  return { sink, state }
}

const refusal = (reply: string) => ({ kind: 'reply', reply }) as const

test('a server that can be used has no fault, although no email waits', async () => {
  const { sink } = await sinkWith(undefined)
  const pool = poolOf(sink.url)
  expect(await pool.findFault()).toBeUndefined()
})

test.each([
  ['refuses the client', { phase: 'connect', fault: refusal('554 5.7.1 go away') }, '554'],
  ['hangs up', { phase: 'connect', fault: { kind: 'cut' } }, 'cannot be used'],
] as const)('a server that %s has a fault until it recovers', async (_name, fault, text) => {
  const { sink, state } = await sinkWith(fault)
  const pool = poolOf(sink.url)
  expect(await pool.findFault()).toContain(text)
  state.fault = undefined
  await expect.poll(() => pool.findFault()).toBeUndefined()
})

test('a login that fails is a fault', async () => {
  const { sink } = await sinkWith(undefined)
  const pool = poolOf(sink.url.replace('smtp://', 'smtp://user:wrong@'))
  expect(await pool.findFault()).toContain('login')
})

test('a server that does not listen is a fault, and draining ends the attempts', async () => {
  const { sink } = await sinkWith(undefined)
  const { url } = sink
  await sink.stop()
  ends.length = 0
  const pool = poolOf(url)
  expect(await pool.findFault()).toContain('ECONNREFUSED')
  await pool.drain()
})
