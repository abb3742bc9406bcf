/**
 * Clients that send events, emails and votes to the demo while the product is upgraded. They note
 * what was answered with 200; nothing of it may be lost or counted twice.
 */
import { randomBytes } from 'node:crypto'
import type { Demo } from '../../dev/demo/demo.ts'
import type { AccountedStack, Promises } from '../drills/accounting.ts'
import { describeSamples, Probe } from '../drills/probe.ts'

export type LoadTarget = Pick<
  Demo,
  'dsn' | 'dsnId' | 'projectKey' | 'apiUrl' | 'apiKey' | 'newsletter'
>

const eventEveryMs = 50
const emailEveryMs = 1_000
/** Five votes a minute are allowed to one address, so some of a long load get 429. */
const voteEveryMs = 6_000

export class UpgradeLoad {
  readonly promises: Promises
  /** Users whose vote was answered with 200. */
  readonly voters = new Set<string>()
  readonly #events: Probe
  readonly #emails: Probe
  readonly #votes: Probe

  /** @param ideaId the idea that is voted for; its votes so far do not count. */
  constructor(target: LoadTarget, ideaId: string) {
    const eventIds = new Set<string>()
    const sentIds = new Set<string>()
    const subjects = new Set<string>()
    this.promises = { projectId: Number(target.dsnId), eventIds, sentIds, subjects }
    const { origin, username } = new URL(target.dsn)
    const envelopeUrl = `${origin}/api/${target.dsnId}/envelope/?sentry_key=${username}&sentry_version=7`
    this.#events = new Probe({
      name: 'events',
      everyMs: eventEveryMs,
      good: '200',
      call: async (signal) => {
        const id = randomBytes(16).toString('hex')
        sentIds.add(id)
        const status = await post(envelopeUrl, envelope(id), { signal })
        if (status === 200) eventIds.add(id)
        return String(status)
      },
    })
    this.#emails = new Probe({
      name: 'emails',
      everyMs: emailEveryMs,
      good: '200',
      call: async (signal) => {
        const subject = `upgrade ${randomBytes(8).toString('hex')}`
        const { newsletter, apiKey } = target
        const body = { newsletter, to: 'load@example.com', subject, markdown: 'Hi!' }
        const status = await post(`${target.apiUrl}/api/v1/send`, JSON.stringify(body), {
          signal,
          headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': subject },
        })
        if (status === 200) subjects.add(subject)
        return String(status)
      },
    })
    const voteUrl = `${target.apiUrl}/api/v1/p/${target.projectKey}/ideas/${ideaId}/vote`
    this.#votes = new Probe({
      name: 'votes',
      everyMs: voteEveryMs,
      good: '200',
      call: async (signal) => {
        const user = `voter-${randomBytes(8).toString('hex')}`
        const status = await post(voteUrl, JSON.stringify({ enduser_id: user }), { signal })
        if (status === 200) this.voters.add(user)
        return String(status)
      },
    })
  }

  start(): void {
    for (const probe of this.#probes) probe.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.stop()))
  }

  /** One line for each kind, of the requests since `fromMs` (monotonic). */
  describe(fromMs = 0): string[] {
    return this.#probes.map(({ name, samples, good }) => {
      const some = samples.filter(({ startedMs }) => startedMs >= fromMs)
      return `${name} × ${some.length}: ${describeSamples(some, good)}`
    })
  }

  get #probes(): readonly Probe[] {
    return [this.#events, this.#emails, this.#votes]
  }
}

/** What is wrong with the votes; empty when nothing is. */
export async function findLostVotes(
  { postgres }: Pick<AccountedStack, 'postgres'>,
  voters: ReadonlySet<string>,
): Promise<string[]> {
  const { rows } = await postgres.query<{ user: string; votes: number }>(
    `select e.enduser_id as user, count(*)::int as votes
       from votes v join endusers e on e.id = v.enduser_id
      where e.enduser_id like 'voter-%' group by 1`,
  )
  const stored = new Map(rows.map(({ user, votes }) => [user, votes]))
  const lost = [...voters].filter((user) => !stored.has(user)).length
  const twice = rows.filter(({ votes }) => votes > 1).length
  return [
    ...(lost === 0 ? [] : [`${lost} votes answered 200 are not stored`]),
    ...(twice === 0 ? [] : [`${twice} votes are stored twice`]),
  ]
}

/** Suggests the idea that the load votes for. */
export async function suggestIdea({ apiUrl, projectKey }: LoadTarget): Promise<string> {
  const response = await fetch(`${apiUrl}/api/v1/p/${projectKey}/ideas/suggest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Dark mode', description: 'Please.', enduser_id: 'ann' }),
  })
  const body = (await response.json()) as { idea_id?: string }
  if (body.idea_id === undefined) throw new Error(`suggesting an idea answered ${response.status}`)
  return body.idea_id
}

async function post(
  url: string,
  body: string,
  { signal, headers = {} }: { signal: AbortSignal; headers?: Record<string, string> },
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    signal,
  })
  await response.arrayBuffer()
  return response.status
}

function envelope(id: string): string {
  const event = JSON.stringify({ message: `upgrade ${id.slice(0, 1)}`, level: 'error' })
  return `{"event_id":"${id}"}\n{"type":"event","length":${event.length}}\n${event}\n`
}
