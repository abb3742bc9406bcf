/** Requests over a real broker: from the API's side to the workers' side. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { BusAwayError, BusRequester, NoReplyError } from '#platform/nats/bus-requester.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { encodeWorkerRequest, workerRequestSubject } from '#schemas/bus/worker-request.ts'
import { defaultProjectSettings } from '#schemas/project-settings.ts'
import { workerAsker } from '../../api/worker-requests/ask-workers.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { startBus, type TestBus } from '../../test/fixtures/processes/bus.ts'
import { answerRequests } from './answer-requests.ts'
import requestTask from './request-thread.ts'

const log = createLogger('test', 'silent')
let bus: TestBus
let requester: BusRequester
const workers: NatsConnection[] = []

beforeAll(async () => {
  bus = await startBus()
  requester = new BusRequester(bus.url, 'test-api')
})
afterEach(() => Promise.all(workers.splice(0).map((nats) => nats.close())))
afterAll(async () => {
  await requester.close()
  await bus.stop()
})

async function startWorker(run: (message: Uint8Array) => Promise<Uint8Array | undefined>) {
  const nats = await connectNats(bus.url, 'test-worker')
  workers.push(nats)
  const answers = answerRequests(nats, { run }, log)
  await nats.flush()
  return answers
}

const trial = {
  request: {
    task: 'try_settings',
    settings: { ...defaultProjectSettings },
    event_id: 'a'.repeat(32),
    received_at_ms: 1,
  },
  payload: Buffer.from('{"message":"line one\\nline two","extra":{"password":"x"}}'),
} as const

test('without a worker there is an answer at once, which says what to check', async () => {
  const message = 'No worker answered within 5 s. Check that workers run.'
  await expect(workerAsker(requester)(trial)).rejects.toMatchObject({
    code: 'unavailable',
    message,
  })
})

test('one of several workers answers, with the result of the event', async () => {
  let asked = 0
  const run = async (message: Uint8Array) => {
    asked += 1
    return requestTask({ message })
  }
  await startWorker(run)
  await startWorker(run)
  const reply = await workerAsker(requester)(trial)
  expect(reply).toMatchObject({
    kind: 'tried',
    result: {
      outcome: 'stored',
      event: { message: 'line one\nline two', extra: { password: '[Filtered]' } },
    },
  })
  expect(asked).toBe(1)
})

test('a worker that does not answer in time is as none', async () => {
  await startWorker(async () => undefined)
  const request = requester.request(workerRequestSubject, encodeWorkerRequest(trial), 200)
  await expect(request).rejects.toBeInstanceOf(NoReplyError)
})

test('a worker that stops takes no more requests', async () => {
  const answers = await startWorker(async (message) => requestTask({ message }))
  answers.stop()
  await workers[0]!.flush()
  await expect(workerAsker(requester)(trial)).rejects.toThrow('No worker answered')
})

test('a broker that is away is named, and is asked again by the next request', async () => {
  const away = new BusRequester(`nats://127.0.0.1:${await freePort()}`, 'test-api')
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const request = away.request(workerRequestSubject, new Uint8Array(), 5_000)
    await expect(request).rejects.toBeInstanceOf(BusAwayError)
  }
  await expect(workerAsker(away)(trial)).rejects.toThrow('NATS')
  await away.close()
})
