import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { readSmtpUrl } from '#platform/smtp/smtp-settings.ts'
import { type SinkFault, type SinkPhase, SmtpSink } from '../../../test/mailkill/smtp-sink.ts'
import { type JobSource, SmtpPool, type WireJob, type WireOutcome } from './smtp-pool.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const noWork: JobSource = { hasWork: () => false, take: () => undefined }

function poolOf(url: string, source = noWork, connectionsMax = 2): SmtpPool {
  const options = {
    settings: readSmtpUrl(url),
    connectionsMax,
    log: createLogger('test', 'silent'),
    onUnreachable: () => undefined,
  }
  const pool = new SmtpPool(options, source)
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

/** Jobs in the order of their names; `urgent` come first, and only they on reserved connections. */
function jobsOf(names: readonly string[]) {
  const waiting = [...names]
  const outcomes = new Map<string, WireOutcome>()
  const urgentOf = () => waiting.findIndex((name) => name.startsWith('urgent'))
  const jobOf = (name: string): WireJob => ({
    isFresh: () => true,
    compose: async () => ({
      envelope: { from: 'news@sender.test', to: `${name}@reader.test` },
      message: Buffer.from('Subject: x\r\n\r\nHello\r\n'),
    }),
    settle: (outcome) => outcomes.set(name, outcome),
  })
  const source: JobSource = {
    hasWork: (urgentOnly) => (urgentOnly ? urgentOf() !== -1 : waiting.length > 0),
    take: (urgentOnly) => {
      const at = urgentOf()
      if (at === -1 && (urgentOnly || waiting.length === 0)) return undefined
      return jobOf(waiting.splice(Math.max(at, 0), 1)[0]!)
    },
  }
  return { source, outcomes, waiting }
}

const manyNames = Array.from({ length: 400 }, (_, no) => `reader${no}`)

async function sinkAndJobs(
  names: readonly string[],
  fault: (phase: SinkPhase, email: number) => SinkFault | undefined,
  connectionsMax = 1,
) {
  const phases: SinkPhase[] = []
  const received: string[] = []
  const sink = await SmtpSink.start({
    fault: (phase) => {
      phases.push(phase)
      return fault(phase, phases.filter((one) => one === phase).length)
    },
    onEmail: ({ to }) => received.push(to),
  })
  ends.push(() => sink.stop())
  const jobs = jobsOf(names)
  const pool = poolOf(sink.url, jobs.source, connectionsMax)
  pool.wake()
  await expect.poll(() => jobs.outcomes.size).toBe(names.length)
  return { ...jobs, received, connects: phases.filter((phase) => phase === 'connect').length }
}

test('a connection is used until the server closes it', async () => {
  const { connects, received } = await sinkAndJobs(manyNames, () => undefined)
  expect(received).toHaveLength(400)
  expect(connects).toBe(1)
})

// biome-ignore format: the columns are the point
test.each([
  ['421 to MAIL  ', 'mail', refusal('421 4.7.0 too many messages')],
  ['421 to RCPT  ', 'rcpt', refusal('421 4.7.0 too many messages')],
  ['421 to DATA  ', 'data', refusal('421 4.7.0 too many messages')],
  ['no reply     ', 'mail', { kind: 'cut' }],
] as const)('an email whose connection the server ends is sent at once on a new one: %s', async (_name, phase, fault) => {
  const names = manyNames.slice(0, 30)
  const { connects, received, outcomes } = await sinkAndJobs(names, (at, no) =>
    at === phase && no % 11 === 0 ? fault : undefined,
  )
  expect([...outcomes.values()].every(({ kind }) => kind === 'taken')).toBe(true)
  expect(received).toHaveLength(30)
  expect(new Set(received).size).toBe(30)
  expect(connects).toBe(3)
})

test('421 to the first email of a connection is its refusal', async () => {
  const { outcomes, received } = await sinkAndJobs(['one'], (phase) =>
    phase === 'mail' ? refusal('421 4.3.2 closing') : undefined,
  )
  expect(outcomes.get('one')).toMatchObject({ kind: 'refused', phase: 'mail' })
  expect(received).toEqual([])
})

test('an email that was written is never sent again by itself', async () => {
  const { outcomes, received } = await sinkAndJobs(manyNames.slice(0, 20), (phase, no) =>
    phase === 'dot' && no === 7 ? { kind: 'cut' } : undefined,
  )
  expect(outcomes.get('reader6')).toMatchObject({ kind: 'lost', written: true })
  expect(new Set(received).size).toBe(received.length)
})

/** Accepts emails after a delay that depends on the recipient. */
async function slowServer(delayMs: (to: string) => number): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    ends.push(() => socket.destroy())
    socket.write('220 slow\r\n')
    let to = ''
    let inBody = false
    createInterface({ input: socket }).on('line', (line) => {
      if (inBody && line !== '.') return
      if (line === '.') {
        inBody = false
        setTimeout(() => socket.write('250 taken\r\n'), delayMs(to))
      } else if (line === 'DATA') {
        inBody = true
        socket.write('354 go on\r\n')
      } else {
        if (line.startsWith('RCPT')) to = line
        socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['from the first email', ['slow']],
  [
    'after many quick ones',
    [...Array<string>(200).fill('quick'), ...Array<string>(20).fill('slow')],
  ],
])('while the server is slow, an urgent email leaves at once: slow %s', async (_name, kinds) => {
  const url = await slowServer((to) => (to.includes('slow') ? 60_000 : 0))
  const jobs = jobsOf(kinds.map((kind, no) => `${kind}${no}`))
  const pool = poolOf(url, jobs.source, 5)
  pool.wake()
  const quick = kinds.filter((kind) => kind === 'quick').length
  await expect.poll(() => jobs.outcomes.size).toBe(quick)
  jobs.waiting.push('urgent')
  pool.wake()
  await expect.poll(() => jobs.outcomes.get('urgent')?.kind).toBe('taken')
})

test('while the server is quick, all connections but one take what is not urgent', async () => {
  let most = 0
  const url = await slowServer(() => 20)
  const jobs = jobsOf(manyNames)
  const pool = poolOf(url, jobs.source, 15)
  pool.wake()
  await expect
    .poll(
      () => {
        most = Math.max(most, pool.emailsOnWire)
        return jobs.outcomes.size
      },
      { interval: 5 },
    )
    .toBe(400)
  expect(most).toBe(14)
})
