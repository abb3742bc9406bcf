/** The drills: one for each fault that an operator meets, in the order of the table. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectNats } from '#platform/nats/nats.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import type { Drill } from './drill.ts'
import type { DrillProcess, DrillStack } from './drill-stack.ts'

/** Time in which the stream collects events that nobody reads. */
const unreadMs = 3_000
const nothing = 'nothing'
const noRepair = async () => undefined

function crash(name: DrillProcess, fault: string, unharmed: Drill['unharmed']): Drill {
  return {
    name: `${name} killed`,
    fault,
    operator: nothing,
    seconds: 8,
    unharmed,
    inject: (stack) => stack.crash(name),
    repair: noRepair,
  }
}

function freeze(
  name: DrillProcess,
  parts: Pick<Drill, 'fault' | 'unharmed'> & Partial<Pick<Drill, 'alerts' | 'seconds'>>,
): Drill {
  return {
    name: `${name} frozen`,
    operator: `restart ${name}`,
    seconds: 15,
    ...parts,
    inject: async (stack) => stack.signal(name, 'SIGSTOP'),
    repair: async (stack) => stack.signal(name, 'SIGCONT'),
  }
}

function outage(
  name: DrillProcess,
  parts: Pick<Drill, 'fault' | 'unharmed'> & Partial<Pick<Drill, 'alerts' | 'seconds'>>,
): Drill {
  return {
    name: `${name} down`,
    operator: `start ${name}`,
    seconds: 15,
    ...parts,
    inject: (stack) => stack.takeDown(name),
    repair: (stack) => stack.bringUp(name),
  }
}

export const drills: readonly Drill[] = [
  crash('ingest', 'ingest is killed and restarted by its supervisor', ['API', 'Email']),
  crash('workers', 'the worker process is killed and restarted', ['SDK', 'API', 'Email']),
  crash('mailer', 'the mailer is killed and restarted', ['SDK', 'API', 'Email']),
  crash('api', 'the API is killed and restarted', ['SDK']),
  crash('nats', 'the broker is killed and restarted', ['SDK', 'API', 'Email']),
  crash('postgres', 'Postgres is killed and restarted', ['SDK']),
  crash('clickhouse', 'ClickHouse is killed and restarted', ['SDK', 'Email']),
  outage('nats', {
    fault: 'the broker is away',
    alerts: ['BrokerAway'],
    unharmed: ['SDK', 'API', 'Email'],
  }),
  outage('clickhouse', {
    fault: 'ClickHouse is away for more than a minute',
    seconds: 80,
    alerts: ['LagHigh'],
    unharmed: ['SDK', 'Email'],
  }),
  outage('postgres', { fault: 'Postgres is away', unharmed: ['SDK'] }),
  outage('workers', { fault: 'no worker runs', unharmed: ['SDK', 'API', 'Email'] }),
  freeze('nats', {
    fault: 'the broker does not answer (SIGSTOP)',
    alerts: ['BrokerAway'],
    unharmed: ['SDK', 'API', 'Email'],
  }),
  freeze('postgres', { fault: 'Postgres does not answer (SIGSTOP)', unharmed: ['SDK'] }),
  freeze('clickhouse', {
    fault: 'ClickHouse does not answer (SIGSTOP)',
    unharmed: ['SDK', 'Email'],
  }),
  freeze('workers', {
    fault: 'the worker process does not run (SIGSTOP)',
    unharmed: ['SDK', 'API', 'Email'],
  }),
  {
    name: 'stream full',
    fault: 'workers are away and the stream reaches INGEST_STREAM_BYTES_MAX',
    operator: 'start workers',
    seconds: 20,
    unharmed: ['API', 'Email'],
    inject: async (stack) => {
      await stack.takeDown('workers')
      await fillStream(stack, 40)
    },
    repair: (stack) => stack.bringUp('workers'),
  },
  {
    name: 'stream deleted',
    fault: 'somebody deletes the stream, with events that no worker has read',
    operator: nothing,
    seconds: 25,
    alerts: ['EventsLostOrResent'],
    unharmed: ['SDK', 'API', 'Email'],
    inject: async (stack) => {
      await stack.takeDown('workers')
      await sleep(unreadMs)
      await deleteStream(stack)
      await stack.bringUp('workers')
    },
    repair: noRepair,
  },
  {
    name: 'log disk full',
    fault: 'the disk of the write-ahead log is full',
    operator: 'free space on the disk',
    seconds: 15,
    alerts: ['EventsLostOrResent'],
    unharmed: ['API', 'Email'],
    impossible: ({ logDisk }) =>
      logDisk === undefined ? 'no file system can be mounted here' : undefined,
    inject: (stack) => fillLogDisk(stack, 200),
    repair: emptyLogDisk,
  },
  {
    name: 'log disk filling',
    fault: 'the disk of the write-ahead log fills within a day',
    operator: 'free space on the disk',
    seconds: 100,
    alerts: ['DiskFullSoon'],
    unharmed: ['SDK', 'API', 'Email'],
    impossible: ({ logDisk }) =>
      logDisk === undefined ? 'no file system can be mounted here' : undefined,
    inject: async (stack) => {
      // In the background, so that the fault is a slope and not a step.
      void fillSlowly(stack, 40, 80)
    },
    repair: emptyLogDisk,
  },
  {
    name: 'SMTP refuses',
    fault: 'the SMTP server refuses every email',
    operator: 'repair the SMTP server',
    seconds: 20,
    alerts: ['SmtpAway'],
    unharmed: ['SDK', 'API', 'Email'],
    inject: async ({ mail }) => {
      mail.manner = 'refusing'
    },
    repair: async ({ mail }) => {
      mail.manner = 'accepting'
    },
  },
  {
    name: 'emails late',
    fault: 'the SMTP server has refused an email for more than 15 minutes',
    operator: 'repair the SMTP server',
    seconds: 25,
    alerts: ['EmailOldest'],
    unharmed: ['SDK', 'API', 'Email'],
    inject: async ({ mail, postgres }) => {
      mail.manner = 'refusing'
      const accept = () =>
        postgres.query(
          `update sends set created_at = created_at - interval '20 minutes' where state in ('queued', 'claimed')`,
        )
      for (const delayMs of [3_000, 6_000])
        setTimeout(() => void accept().catch(() => undefined), delayMs)
    },
    repair: async ({ mail }) => {
      mail.manner = 'accepting'
    },
  },
]

async function deleteStream({ stack }: DrillStack): Promise<void> {
  const nats = await connectNats(stack.demo.natsUrl, 'drill')
  try {
    const manager = await jetstreamManager(nats)
    await manager.streams.delete(ingestStream)
  } finally {
    await nats.close()
  }
}

/** Sends this many MiB of events, in bodies of some 400 KiB, to a project of its own. */
async function fillStream(stack: DrillStack, megabytes: number): Promise<void> {
  const project = await stack.project('drill large events')
  const text = 'x'.repeat(400 * 1024)
  for (let sent = 0; sent < megabytes * 1024 ** 2; sent += text.length) {
    const body = `{}\n{"type":"event"}\n${JSON.stringify({ message: 'large', extra: { text } })}\n`
    await fetch(project.envelopeUrl, { method: 'POST', body }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
  }
}

const fillName = 'filled-by-a-drill'

async function fillLogDisk({ logDisk }: DrillStack, megabytes: number): Promise<void> {
  if (logDisk === undefined) return
  const piece = Buffer.alloc(1024 ** 2)
  try {
    for (let at = 0; at < megabytes; at += 1) {
      await writeFile(join(logDisk, fillName), piece, { flag: 'a' })
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

async function fillSlowly(stack: DrillStack, megabytes: number, seconds: number): Promise<void> {
  const pauseMs = (seconds * 1000) / megabytes
  for (let at = 0; at < megabytes; at += 1) {
    await fillLogDisk(stack, 1)
    await new Promise((done) => setTimeout(done, pauseMs))
  }
}

async function emptyLogDisk({ logDisk }: DrillStack): Promise<void> {
  if (logDisk !== undefined) await rm(join(logDisk, fillName), { force: true })
}
