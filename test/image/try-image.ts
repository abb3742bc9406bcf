/** Starts every process from one image against real engines, uses it once, and drains it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { listEmails } from '../../api/mailbox/email-files.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { type RunningEngines, startEngines } from '../../dev/stack.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { Container, ContainerTool } from './container-tool.ts'

export interface TryOptions {
  readonly tool: ContainerTool
  readonly image: string
  readonly say: (sentence: string) => void
  /** Distinguishes the containers of this run from others. */
  readonly run: string
}

const readyMsMax = 90_000
const admin = ['admin']
const services = {
  ingest: { ports: ['INGEST_PORT', 'INGEST_OPS_PORT'] },
  workers: { ports: ['WORKERS_PORT'] },
  mailer: { ports: ['MAILER_PORT'] },
  api: { ports: ['API_PORT', 'API_OPS_PORT'] },
} as const
type ServiceName = keyof typeof services
const names = Object.keys(services) as ServiceName[]

export async function tryImage({ tool, image, say, run }: TryOptions): Promise<void> {
  const running = new Map<string, Container>()
  say('Starting the engines.')
  const engines = await startEngines()
  try {
    const env = await environment(engines)
    const start = async (name: string, command: readonly string[]) => {
      const container = await tool.run({ name: `sluice-${run}-${name}`, image, command, env })
      running.set(name, container)
      return container
    }
    let commandCount = 0
    const finish = async (command: readonly string[]): Promise<string> => {
      commandCount += 1
      const name = `command-${commandCount}`
      const container = await start(name, command)
      const code = await container.end()
      running.delete(name)
      if (code !== 0)
        throw new Error(`${command.join(' ')} ended with ${code}\n${container.lastLines}`)
      return container.stdout
    }

    say('Migrating.')
    await finish(['migrate'])
    // Commands of earlier versions named the file.
    await finish(['node', 'dist/dev/migrate.js'])
    const made = async (...args: string[]) =>
      JSON.parse(await finish([...admin, ...args, '--json']))
    const first = await made(
      ...['setup', '--organization', 'Image', '--email', 'owner@image.test'],
      ...['--newsletter', 'image', '--from', 'news@image.test'],
    )

    say('Starting ingest, workers, mailer and api.')
    for (const name of names) await start(name, [name])
    const url = (variable: string) => `http://127.0.0.1:${env[variable]}`
    for (const name of names) await becomesReady(name, services[name].ports.map(url), running)
    await hasNoMetrics(url('INGEST_PORT'))
    await hasNoMetrics(url('API_PORT'))

    say('Sending an event and an email.')
    await sendEvent(first.dsn)
    await sendEmail(url('API_PORT'), first.api_key)
    const headers = { 'x-api-key': first.access_token }
    await waitUntil('the issue of the event', async () => {
      const response = await fetch(
        `${url('API_PORT')}/api/v1/projects/${first.project_id}/issues`,
        {
          headers,
        },
      )
      const { items } = (await response.json()) as { items: { title: string; count: number }[] }
      return items.length === 1 && items[0]?.title === eventTitle && items[0].count === 1
    })
    await waitUntil('the email', async () => {
      const emails = await listEmails(join(engines.dataDir, 'mailbox'), recipient)
      return emails.length === 1 && emails[0]?.subject === emailSubject
    })
    const mailbox = await fetch(`${url('API_PORT')}/dev/mailbox`)
    if (mailbox.status !== 404)
      throw new Error(`/dev/mailbox answered ${mailbox.status} in the image`)

    say('Draining.')
    for (const name of names) await drain(name, running)
  } catch (error) {
    for (const container of running.values()) process.stderr.write(`${container.lastLines}\n`)
    throw error
  } finally {
    await Promise.allSettled([...running.values()].map((container) => container.stop()))
    await engines.stop()
  }
}

async function environment(engines: RunningEngines): Promise<Record<string, string>> {
  const ports = new Map<string, string>()
  for (const name of names) {
    for (const variable of services[name].ports) ports.set(variable, String(await freePort()))
  }
  return {
    LOG_LEVEL: 'warn',
    POSTGRES_URL: engines.urls.postgres,
    NATS_URL: engines.urls.nats,
    CLICKHOUSE_URL: engines.urls.clickhouse,
    SMTP_URL: engines.urls.smtp,
    SLUICE_SECRET: randomBytes(24).toString('hex'),
    INGEST_LOG_DIR: '/var/lib/sluice/ingest-log',
    INGEST_URL: `http://127.0.0.1:${ports.get('INGEST_PORT')}`,
    API_URL: `http://127.0.0.1:${ports.get('API_PORT')}`,
    // The domain of this test is not verified.
    MAIL_ALLOW_UNVERIFIED_FROM: 'true',
    ...Object.fromEntries(ports),
  }
}

/** Waits until the service is ready on each of its ports. The last port serves operations. */
async function becomesReady(
  name: string,
  urls: readonly string[],
  running: ReadonlyMap<string, Container>,
): Promise<void> {
  for (const url of urls) {
    await waitUntil(
      `${name} at ${url} to be ready`,
      async () => running.get(name)?.hasEnded === true || (await fetch(`${url}/health/ready`)).ok,
      readyMsMax,
    )
    if (running.get(name)?.hasEnded) throw new Error(`${name} ended before it was ready`)
  }
  const metrics = await fetch(`${urls.at(-1)}/metrics`)
  if (!(await metrics.text()).includes('process_start_time_seconds')) {
    throw new Error(`${name} serves no metrics on its operations port`)
  }
}

async function hasNoMetrics(url: string): Promise<void> {
  const { status } = await fetch(`${url}/metrics`)
  if (status !== 404) throw new Error(`${url}/metrics answered ${status} on a public port`)
}

const eventTitle = 'sent to the image'
const emailSubject = 'From the image'
const recipient = 'contact@image.test'

async function sendEvent(dsn: string): Promise<void> {
  const { origin, pathname, username } = new URL(dsn)
  const response = await fetch(`${origin}/api${pathname}/envelope/?sentry_key=${username}`, {
    method: 'POST',
    body: `{"event_id":"${randomUUID().replaceAll('-', '')}"}\n{"type":"event"}\n{"message":"${eventTitle}"}`,
  })
  if (!response.ok) throw new Error(`the event was answered ${response.status}`)
}

async function sendEmail(apiUrl: string, apiKey: string): Promise<void> {
  const response = await fetch(`${apiUrl}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      newsletter: 'image',
      to: recipient,
      subject: emailSubject,
      markdown: 'It works.',
    }),
  })
  if (!response.ok)
    throw new Error(`the email was answered ${response.status}: ${await response.text()}`)
}

async function drain(name: string, running: Map<string, Container>): Promise<void> {
  const container = running.get(name)
  running.delete(name)
  const code = await container?.stop()
  if (code !== 0)
    throw new Error(`${name} ended with ${code} after SIGTERM\n${container?.lastLines}`)
}
