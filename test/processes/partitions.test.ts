/** Changes the number of partitions of a running product while events are sent. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { readLayouts } from '#platform/installation/layouts.ts'
import { connectNats } from '#platform/nats/nats.ts'
import { undashed } from '#schemas/ids.ts'
import { productOfThisFile, type RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()

/** Read from Postgres, because each `partitions show` is a process. */
async function layouts() {
  const { current, next } = await readLayouts(product().postgres)
  if (current === undefined) throw new Error('there are no partitions yet')
  return { current, next }
}

interface PartitionsShown {
  readonly current: { readonly first_partition: number; readonly partitions: number }
  readonly next: object | null
}

function envelope(id: string): string {
  return `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"a change of partitions"}\n`
}

const sendEveryMs = 10

/** Sends events, one after the other, until it is stopped. Every answer must be 200. */
class Sender {
  readonly ids: string[] = []
  /** Statuses; 0 for no answer. */
  readonly answers = new Set<number>()
  readonly #project: TestProject
  readonly #work: Promise<void>
  #isStopped = false

  constructor(project: TestProject) {
    this.#project = project
    this.#work = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const id = undashed(randomUUID())
      const answer = await this.#project
        .send({ method: 'POST', body: envelope(id) })
        .catch(() => undefined)
      this.answers.add(answer?.status ?? 0)
      this.ids.push(id)
      await sleep(sendEveryMs)
    }
  }
}

async function changeTo(running: RunningProduct, count: number): Promise<void> {
  const before = await layouts()
  await running.adminJson('partitions', 'set', '--count', String(count))
  await running.stack.services.ingest.handOver()
  await waitUntil(`${count} partitions`, async () => {
    const { current, next } = await layouts()
    return current.partitions === count && next === undefined
  })
  const firstPartition = before.current.first + before.current.partitions
  const shown = await running.adminJson<PartitionsShown>('partitions', 'show')
  expect(shown).toMatchObject({ current: { first_partition: firstPartition }, next: null })
  await running.stack.services.workers.ready()
  await formerStreamsAreDeleted()
}

/** Former streams are kept for a minute, which is over here at once. */
async function formerStreamsAreDeleted(): Promise<void> {
  await product().postgres.query(`update installation set layout_since = now() - interval '1 hour'`)
  const { first } = (await layouts()).current
  const nats = await connectNats(product().stack.demo.natsUrl, 'test')
  try {
    const manager = await jetstreamManager(nats)
    await waitUntil('one stream', async () => {
      const names: string[] = []
      for await (const name of manager.streams.names()) names.push(name)
      return names.join() === `INGEST_${first}`
    })
  } finally {
    await nats.close()
  }
}

test.each([7, 2])('%i partitions: no event is refused, lost or counted twice', async (count) => {
  const project = await product().projectAtOnce(`partitions ${count}`)
  const sender = new Sender(project)
  await sleep(500)
  await changeTo(product(), count)
  await sleep(500)
  await sender.stop()
  expect([...sender.answers]).toEqual([200])
  await project.hasEvents(sender.ids.length)

  // Every id is known in the new partitions, also those that were stored in a former one.
  const [, ...others] = sender.ids
  for (let at = 0; at < others.length; at += 50) {
    const bodies = others.slice(at, at + 50)
    await Promise.all(bodies.map((id) => project.send({ method: 'POST', body: envelope(id) })))
  }
  await product().stack.services.ingest.restart()
  for (let at = 0; at < others.length; at += 50) {
    const bodies = others.slice(at, at + 50)
    await Promise.all(bodies.map((id) => project.send({ method: 'POST', body: envelope(id) })))
  }
  const marker = undashed(randomUUID())
  await project.send({ method: 'POST', body: envelope(marker) })
  await project.hasEvents(sender.ids.length + 1)
  const partitions = await product().rowsOf<{ partition: number }>(
    'select distinct partition from events where project_id = {id: UInt64}',
    { id: project.dsnId },
  )
  const { first } = (await layouts()).current
  expect(partitions.some(({ partition }) => partition >= first)).toBe(true)
  expect(partitions.some(({ partition }) => partition < first)).toBe(true)
})

test('what is wrong is refused with a sentence', async () => {
  for (const [count, sentence] of [
    ['0', 'must be a whole number from 1 to 64'],
    ['65', 'must be a whole number from 1 to 64'],
    ['-1', 'must be a whole number'],
    ['1e3', 'must be a whole number'],
  ] as const) {
    const end = await product().admin('partitions', 'set', '--count', count)
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
  }
  const { current } = await layouts()
  const same = await product().admin('partitions', 'set', '--count', String(current.partitions))
  expect(same).toMatchObject({ code: 1, stderr: expect.stringContaining('already') })
})
